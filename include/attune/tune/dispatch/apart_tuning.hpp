// attune/tune/dispatch/apart_tuning.hpp - tunes and verifies beside the program, on copies of its calls.
// SPDX-License-Identifier: MIT
//
// tested by tune/on_miss.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/copied_calls.hpp>
#include <attune/tune/dispatch/dispatch_parts.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <cstdint>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// Its jobs take the turn, one after the other, on a thread of their own. See miss_policy.
class apart_tuning {
public:
    /// @pre  `parts` outlives this object
    explicit apart_tuning(dispatch_parts& parts);

    /// Whether unknown inputs are tuned here: by the policy, and only for this processor.
    [[nodiscard]] bool is_wanted() const;

    /// The default serves this call; the inputs are tuned in the background. Any thread.
    /// @pre  the frame is complete
    installed_variant const& tune(served_inputs& of,
                                  known_shape* shape,
                                  std::span<std::int64_t const> key,
                                  call_frame const& frame);
    /// The default serves this call; the winner is verified for its shape in the background.
    /// @pre  the turn is this thread's
    installed_variant const& verify(served_inputs& of,
                                    known_shape* shape,
                                    std::span<std::int64_t const> key,
                                    call_frame const& frame);

    /// Until no job is at work or waits, or the program ends. @pre  not called by a job
    void wait() const { jobs_.wait(); }

private:
    void tune_now(served_inputs& of,
                  known_shape* shape,
                  std::span<std::int64_t const> key,
                  call_frame const& own);

    dispatch_parts& parts_;
    fork_safe_mutex lock_{}; ///< of served_inputs::tuned_apart_in
    copied_calls jobs_;      ///< the last member: its thread uses all others
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/apart_tuning.ipp>
#endif
