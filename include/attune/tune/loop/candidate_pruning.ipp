// attune/tune/loop/candidate_pruning.ipp - compares least times with the best.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/turns/timing_turns.hpp>
#include <attune/tune/kernel/thread_use.hpp>
#include <attune/tune/loop/candidate_pruning.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// While no other process of attune times anything on this processor.
[[nodiscard]] inline core_peaks core_peaks_alone()
{
    timing_turns turns;
    timing_turns::turn const mine{turns};
    return measure_core_peaks();
}

ATTUNE_INLINE core_peaks core_peaks_of_this_machine(bool anew)
{
    std::string const folder = object_cache{}.statistics().folder;
    if (!folder.empty())
        return known_core_peaks(folder + "/core_peaks", device_name(), anew, core_peaks_alone);
    static fork_safe_mutex lock;
    static core_peaks known;
    core_peaks found;
    {
        std::scoped_lock const hold(lock);
        found = known;
    }
    if (found.f32_flops[0] > 0 && !anew) return found;
    core_peaks measured = core_peaks_alone();
    std::scoped_lock const hold(lock);
    raise_to(measured, known);
    return known = measured;
}

ATTUNE_INLINE bool allowed_cores_are_alike() { return cores_are_alike(allowed_processors()); }

ATTUNE_INLINE candidate_pruning::candidate_pruning(tuning_problem const& problem,
                                                   tuning_options const& options,
                                                   std::function<void(std::string)> say,
                                                   pruning_machine of)
    : problem_(problem)
    , say_(std::move(say))
    , machine_(std::move(of))
    , is_on_(options.search.prune && problem.kernel.work != nullptr && problem.kernel.work_varies &&
             problem.device == nullptr && !problem.predict)
{
    if (is_on_ && !machine_.is_even()) {
        is_on_ = false; // the peaks of a slow core bound no fast one
        say_("nothing is pruned: the cores of this machine differ in their highest rates");
    }
    if (!is_on_) return;
    for (buffer const& b : problem.frame.buffers)
        data_.push_back(b.data);
    unsigned const processors = std::max(std::thread::hardware_concurrency(), 1U);
    if (may_use_threads(problem.kernel.source, problem.compiler.identity()))
        most_threads_ = processors;
    if (options.measuring.cache != cache_state::warm) machine_.cached = 0;
}

ATTUNE_INLINE core_peaks const& candidate_pruning::peaks()
{
    if (!peaks_) peaks_ = machine_.peaks(false);
    return *peaks_;
}

/// 0 where the memory cannot be measured: it bounds nothing then.
ATTUNE_INLINE double candidate_pruning::bytes_per_s(unsigned threads)
{
    auto const [known, is_new] = bytes_per_s_.try_emplace(threads, 0.0);
    if (is_new) try {
            known->second = machine_.bytes_per_s(threads);
        } catch (std::exception const&) { // too little memory, or no more threads
            known->second = 0;
        }
    return known->second;
}

ATTUNE_INLINE least_time candidate_pruning::least(point const& at)
{
    if (!is_on_) return {};
    try {
        work done;
        problem_.frame.with_arguments(data_, [&](void const* arguments) {
            done = problem_.kernel.work(problem_.space.describe(), at, arguments);
        });
        unsigned const threads = done.threads > 0 ? done.threads : most_threads_;
        double const cached = machine_.cached * threads; // they may have caches of their own
        core_peaks const& known = peaks();
        if (!known.is_optimised) {
            is_on_ = false; // the peaks of slowed code are too low to prove anything
            say_("nothing is pruned: attune itself is compiled without optimisation here, or the "
                 "highest rates of this processor are not known to it");
            return {};
        }
        double const rate = done.bytes > cached ? bytes_per_s(threads) : 0;
        return least_time_of(known, done, threads, rate, cached);
    } catch (std::exception const&) { // no value here, such as a quotient by zero: nothing is known
        return {};
    }
}

ATTUNE_INLINE std::optional<double> candidate_pruning::cannot_win(point const& at)
{
    auto const loses = [&](double least_s) { return least_s > margin * best_at_most_; };
    if (!is_on_ || !(best_ > 0)) return {};
    double least_s = least(at).seconds;
    if (!loses(least_s)) return {};
    if (verdicts_ + 1 >= next_peaks_) {
        next_peaks_ *= 8;
        core_peaks fresh = machine_.peaks(true);
        raise_to(fresh, *peaks_);
        peaks_ = fresh;
        least_s = least(at).seconds;
        if (!loses(least_s)) return {};
    }
    if (++verdicts_ == next_trial_) {
        next_trial_ *= 4;
        return {};
    }
    ++pruned_;
    return least_s;
}

/// Whether a time of a call is too short for the stated work, also by the highest peaks.
ATTUNE_INLINE bool candidate_pruning::is_below(point const& at, double seconds)
{
    auto const is = [&] { return least(at).seconds > margin * seconds; };
    if (!is()) return false;
    core_peaks fresh = machine_.peaks(true);
    raise_to(fresh, *peaks_);
    peaks_ = fresh;
    return is();
}

ATTUNE_INLINE bool candidate_pruning::measured(point const& at, measurement const& time)
{
    if (!is_on_ || !std::isfinite(time.value) || !(time.value >= 0)) return false;
    double const at_most = std::isfinite(time.high) ? std::max(time.high, time.value) : time.value;
    if (is_below(at, at_most)) {
        least_time const wrong = least(at);
        stop(text_of(problem_.space.describe(), at) + " takes " +
             text_of_quantity(time.value, true) + ", and by the " + name_of(wrong.by) +
             " of kernel.work(...) at least " + text_of_quantity(wrong.seconds, true));
        return true;
    }
    if (time.value > 0 && (!(best_ > 0) || time.value < best_)) {
        best_ = time.value;
        best_at_most_ = at_most;
    }
    return false;
}

ATTUNE_INLINE void candidate_pruning::stop(std::string why)
{
    is_on_ = false;
    pruned_ = 0; // they are to be tried: a tuning that ends before is not complete
    say_("nothing is pruned any more: " + std::move(why) +
         " on this machine; state less there, or more threads and wider vectors");
}

ATTUNE_INLINE std::string candidate_pruning::sentence() const
{
    if (pruned_ == 0) return {};
    return std::to_string(pruned_) +
           (pruned_ == 1 ? " configuration was not tried, because its work takes"
                         : " configurations were not tried, because their work takes") +
           " longer on this machine than the best (kernel.work; options.search.prune = false tries "
           "all)";
}

} // namespace attune::inline ATTUNE_ABI::detail
