// attune/tune/dispatch/apart_tuning.ipp - tunes and verifies beside the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/apart_tuning.hpp>
#include <attune/tune/report.hpp>

#include <exception>
#include <mutex>
#include <unistd.h>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE apart_tuning::apart_tuning(dispatch_parts& parts)
    : parts_(parts)
    , jobs_(parts.subject.options.limits.copied_bytes)
{
}

ATTUNE_INLINE bool apart_tuning::is_wanted() const
{
    return parts_.subject.options.on_miss == miss_policy::tune_in_background &&
           !parts_.subject.find_device;
}

ATTUNE_INLINE installed_variant const& apart_tuning::tune(served_inputs& of,
                                                          known_shape* shape,
                                                          std::span<std::int64_t const> key,
                                                          call_frame const& frame)
{
    installed_variant const& by = parts_.defaults.code_of(of.problem);
    pid_t const me = ::getpid();
    std::unique_lock<fork_safe_mutex> here(lock_);
    if (of.tuned_apart_in != me && !of.is_settled) {
        of.tuned_apart_in = me; // other calls need not copy theirs meanwhile
        here.unlock();
        std::vector<std::int64_t> const words(key.begin(), key.end());
        copied_calls::refusal const refused =
            jobs_.start(frame, [this, &of, shape, words](call_frame const& own) {
                try {
                    tune_now(of, shape, words, own);
                } catch (...) { // the program's sink threw, and there is nobody to tell
                }
                std::scoped_lock<fork_safe_mutex> const over(lock_);
                of.tuned_apart_in = 0;
                parts_.look_again(of);
            });
        if (refused) {
            here.lock();
            of.tuned_apart_in = 0;
            parts_.look_again(of);
            here.unlock();
            if (!refused->empty()) parts_.report.note(*refused);
            return by;
        }
        here.lock();
        if (of.tuned_apart_in == me)
            parts_.report.set(untuned_report(parts_.subject.kernel.name,
                                             decision::served_default,
                                             "a tuning runs in the background"));
    }
    // Until that tuning is over, calls of this shape need no second look.
    return of.tuned_apart_in == me ? parts_.shapes.serve(shape, by) : by;
}

ATTUNE_INLINE installed_variant const& apart_tuning::verify(served_inputs& of,
                                                            known_shape* shape,
                                                            std::span<std::int64_t const> key,
                                                            call_frame const& frame)
{
    installed_variant const& by = parts_.defaults.code_of(of.problem);
    std::vector<std::int64_t> const words(key.begin(), key.end());
    copied_calls::refusal const refused =
        jobs_.start(frame, [this, &of, shape, words](call_frame const& own) {
            working const now(parts_, true);
            if (!now.is_on()) return;
            try {
                work_in_progress const at_work;
                static_cast<void>(of.verifier->serve(shape, words, own, false));
            } catch (std::exception const& e) {
                static_cast<void>(parts_.degrade(of, shape, e.what()));
            }
        });
    if (!refused) return parts_.shapes.serve(shape, by); // the job waits for this thread's turn
    if (!refused->empty()) parts_.report.note(*refused);
    return by;
}

/// On the thread in the background.
ATTUNE_INLINE void apart_tuning::tune_now(served_inputs& of,
                                          known_shape* shape,
                                          std::span<std::int64_t const> key,
                                          call_frame const& own)
{
    working const now(parts_, true);
    if (!now.is_on()) return;
    try {
        work_in_progress const at_work;
        if (of.winner != nullptr || of.is_given_up) return;
        bool const is_for_this = parts_.find_winner(of, key, own, when_unknown::tune);
        of.is_settled = true;
        if (of.winner == nullptr) of.is_given_up = true; // too short, or nothing to spend
        if (of.winner == nullptr || !is_for_this) return;
        of.verifier->add(key);
        parts_.shapes.serve(shape, *of.winner, true);
    } catch (std::exception const& e) {
        of.is_given_up = of.is_settled = true; // also where the sink throws again
        static_cast<void>(parts_.degrade(of, shape, e.what()));
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
