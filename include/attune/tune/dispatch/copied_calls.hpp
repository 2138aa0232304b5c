// attune/tune/dispatch/copied_calls.hpp - jobs in the background, each on a copy of a call.
// SPDX-License-Identifier: MIT
//
// tested by tune/on_miss.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/background.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Any thread may start jobs; one thread does them in order. All copies together have a limit.
class copied_calls {
public:
    /// @param most_bytes  of all copies: tuning_limits::copied_bytes
    explicit copied_calls(std::size_t most_bytes)
        : most_bytes_(most_bytes)
    {
    }

    /// Why nothing was started: for a notice; empty: there is no room now, but there may be later.
    using refusal = std::optional<std::string>;

    /// Has `job` run on a copy of the call, which goes with the job.  @pre  the frame is complete
    refusal start(call_frame const& frame, std::function<void(call_frame const&)> job);

    /// Until no job is at work or waits, or the program ends. @pre  not called by a job
    void wait() const { worker_.wait(); }

private:
    refusal take_room(std::size_t bytes);
    void give_room(std::size_t bytes);

    std::size_t const most_bytes_;
    fork_safe_mutex lock_{}; ///< of what follows
    std::size_t bytes_ = 0;
    int process_ = 0;            ///< that holds the copies
    background_worker worker_{}; ///< the last member: its thread uses all others
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/copied_calls.ipp>
#endif
