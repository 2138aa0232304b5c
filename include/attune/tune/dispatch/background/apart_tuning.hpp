// attune/tune/dispatch/background/apart_tuning.hpp - tunes and verifies beside the program, on copies of its calls.
// SPDX-License-Identifier: MIT
//
// tested by tune/on_miss.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/background/background.hpp>
#include <attune/tune/dispatch/background/call_copies.hpp>
#include <attune/tune/dispatch/background/tuning_slice.hpp>
#include <attune/tune/dispatch/dispatch_parts.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/shape/online_slot.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Its jobs take the turn, one after the other, on a thread of their own. Each set of inputs is
/// tuned in slices (tuning_slice.hpp): after the first one its winner serves. See miss_policy.
class apart_tuning {
public:
    /// @pre  `parts` outlives this object
    explicit apart_tuning(dispatch_parts& parts);
    ~apart_tuning();
    apart_tuning(apart_tuning const&) = delete;
    apart_tuning& operator=(apart_tuning const&) = delete;

    /// Whether unknown inputs are tuned here: by the policy, and only for this processor.
    [[nodiscard]] bool is_wanted() const;

    /// `until_then` serves this call and its shape; the inputs are tuned in the background. Any
    /// thread.
    /// @pre  the frame is complete
    installed_variant const& tune(std::shared_ptr<served_inputs> const& of, known_shape* shape,
                                  std::span<std::int64_t const> key, call_frame const& frame,
                                  installed_variant const& until_then);
    /// What served the shape before, else the default, serves this call and its shape; the winner
    /// is verified for it in the background. Any thread.
    /// @param until_then  serves instead, for good where there is no room for a copy; null: none
    /// @pre  the frame is complete
    installed_variant const& verify(std::shared_ptr<served_inputs> const& of, known_shape* shape,
                                    std::span<std::int64_t const> key, call_frame const& frame,
                                    installed_variant const* until_then = nullptr);

    /// A tuning of these inputs that waits for calls goes on.
    void wake(served_inputs& of)
    {
        if (of.is_resting) wake_now(of);
    }

    /// Until no job is at work or waits, or the program ends. @pre  not called by a job
    void wait() const;

private:
    struct open_tuning;
    class trial_period;

    [[nodiscard]] call_copy copy_of(call_frame const& frame);
    [[nodiscard]] std::string add(std::function<void()> job);
    void count(known_shape* shape, served_inputs& of);
    void stop_counting(served_inputs& of);
    void go_on();
    void wake_now(served_inputs& of);
    void resume(served_inputs& of);
    [[nodiscard]] bool is_online(known_shape const* shape) const;
    [[nodiscard]] search_limits limits_of(open_tuning const& one) const;
    [[nodiscard]] bench_factory online_bench_for(open_tuning& one);
    [[nodiscard]] double patience_s(open_tuning const& one) const;
    [[nodiscard]] bool is_over_after(open_tuning& one, tuning_slice const& slice);
    void close(open_tuning const& one);
    [[nodiscard]] std::vector<sliced_tuning> turns() const;

    dispatch_parts& parts_;
    call_copies copies_;
    fork_safe_mutex lock_{}; ///< of served_inputs::tuned_apart_in, and of what follows
    std::vector<std::shared_ptr<open_tuning>> open_{};
    bool is_queued_ = false;                            ///< go_on() is
    int process_ = 0;                                   ///< the process of these
    std::vector<std::unique_ptr<online_slot>> slots_{}; ///< calls may be in them at any time
    std::vector<std::unique_ptr<call_count>> counts_{}; ///< a late call may still add to any
    std::vector<call_count*> free_counts_{};
    mutable std::atomic<int> waiting_{0}; ///< threads in wait()
    background_worker worker_{};          ///< the last member: its thread uses all others
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/background/apart_tuning.ipp>
#endif
