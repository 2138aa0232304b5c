// attune/tune/dispatch/apart_tuning.hpp - tunes and verifies on copies of calls, while the program runs.
// SPDX-License-Identifier: MIT
//
// Also tested by tune/on_miss.cpp.
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/dispatch_parts.hpp>
#include <attune/tune/dispatch/tuning_slice.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/owned_call.hpp>
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

/// Runs jobs on a separate thread, one after the other. Each job holds the turn
/// (dispatch_parts::turn). A tuning runs in slices (tuning_slice.hpp), and its winner serves from
/// the end of the first slice. See miss_policy.
class apart_tuning {
public:
    /// @pre  `parts` outlives this object
    explicit apart_tuning(dispatch_parts& parts);
    ~apart_tuning();
    apart_tuning(apart_tuning const&) = delete;
    apart_tuning& operator=(apart_tuning const&) = delete;

    /// Returns true if the policy is tune_in_background or online.
    [[nodiscard]] bool is_wanted() const;

    /// Tunes the inputs in the background; `until_then` serves the shape meanwhile. Any thread.
    /// @pre  the frame is complete
    installed_variant const& tune(std::shared_ptr<served_inputs> const& of, known_shape* shape,
                                  std::span<std::int64_t const> key, call_frame const& frame,
                                  installed_variant const& until_then);
    /// Verifies the winner for the shape in the background. The code that served the shape before,
    /// or else the default, serves meanwhile. Any thread.
    /// @param until_then  if not null, serves meanwhile; serves for good if a copy has no room
    /// @pre  the frame is complete
    installed_variant const& verify(std::shared_ptr<served_inputs> const& of, known_shape* shape,
                                    std::span<std::int64_t const> key, call_frame const& frame,
                                    installed_variant const* until_then = nullptr);

    /// Continues the proof of a tuning's winner in the background, until a thread calls wait(). The
    /// proof gives the turn to each thread that waits for it, and runs after other jobs and
    /// tunings. Does nothing on a single processor, or if a copy has no room.
    /// @pre  this thread holds the turn; the call has proven the winner for as long as it may wait
    void prove(std::shared_ptr<served_inputs> const& of, std::span<std::int64_t const> key,
               call_frame const& frame);
    /// The same for a call of a new kind: see shape_verifier::begin_kind(). This proof runs before
    /// other proofs. wait() lasts for its first two seconds, even if the proof waits for the turn.
    void prove_kind(std::shared_ptr<served_inputs> const& of, std::span<std::int64_t const> key,
                    call_frame const& frame);

    /// Returns true if a copy of this call has room while there is no other.
    [[nodiscard]] bool has_room_for(call_frame const& frame) const
    {
        return copies_.can_ever_make(frame);
    }

    /// Continues each tuning that waits for calls with these inputs, or for a further size at this
    /// shape.
    void wake(served_inputs& of, known_shape const* shape)
    {
        if (of.is_resting || some_size_rests_) wake_now(of, shape);
    }

    /// Waits until no job runs or waits, or until the program ends. @pre  not called by a job
    void wait();

private:
    struct open_tuning;
    class trial_period;

    [[nodiscard]] call_copy copy_of(call_frame const& frame);
    void forget_parent();
    [[nodiscard]] std::string add(std::function<void()> job);
    [[nodiscard]] std::string add_due(std::function<void()> job);
    void count(known_shape* shape, served_inputs& of);
    void stop_counting(served_inputs& of);
    void let_others_begin() const;
    void go_on();
    void wake_now(served_inputs& of, known_shape const* shape);
    void prove_now(std::shared_ptr<served_inputs> const& of, std::vector<std::int64_t> const& key,
                   std::shared_ptr<owned_call const> const& call, double kind_s);
    void resume(served_inputs& of);
    [[nodiscard]] bool is_online(known_shape const* shape) const;
    [[nodiscard]] search_limits limits_of(open_tuning const& one) const;
    [[nodiscard]] bench_factory online_bench_for(open_tuning& one);
    [[nodiscard]] double patience_s(open_tuning const& one) const;
    void set_others(open_tuning const& one);
    void rest(open_tuning& one);
    void say_waiting(open_tuning const& one, char const* what);
    [[nodiscard]] double called_s(known_shape const* but);
    [[nodiscard]] bool is_over_after(open_tuning& one, tuning_slice const& slice);
    void close(open_tuning const& one);
    [[nodiscard]] std::vector<sliced_tuning> turns() const;

    dispatch_parts& parts_;
    call_copies copies_;
    fork_safe_mutex lock_{}; ///< guards served_inputs::tuned_apart_in, and the members below
    std::vector<std::shared_ptr<open_tuning>> open_{};
    bool is_queued_ = false;                            ///< a call of go_on() is queued
    int process_;                                       ///< the process that the members belong to
    std::vector<std::unique_ptr<online_slot>> slots_{}; ///< calls may use them at any time
    std::vector<std::unique_ptr<call_count>> counts_{}; ///< a late call may still add to any
    std::vector<call_count*> free_counts_{};
    double called_before_s_ = 0;               ///< seconds of all calls before the first slot
    double next_look_s_ = 0;                   ///< time from which set_others() sums again
    std::atomic<bool> some_size_rests_{false}; ///< the tuning of a further size waits for calls
    std::atomic<int> waiting_{0};              ///< threads in wait()
    std::atomic<int> due_{0};                  ///< queued jobs for which a proof must end
    std::atomic<bool> is_room_wanted_{false};  ///< a call found no room for its copy
    background_worker worker_{};               ///< the last member: its thread uses all others
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/apart_tuning.ipp>
#endif
