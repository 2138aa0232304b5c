// attune/tune/loop/candidate_pruning.ipp - compares least times with the best.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/timing_turns.hpp>
#include <attune/space/query/setting_list.hpp>
#include <attune/tune/loop/candidate_pruning.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <cmath>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Measures while no other process of attune times anything on this processor.
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

ATTUNE_INLINE
candidate_pruning::candidate_pruning(tuning_problem const& problem, tuning_options const& options,
                                     std::function<void(std::string)> say, pruning_machine of)
    : problem_(problem)
    , say_(std::move(say))
    , machine_(std::move(of))
    , is_on_(options.search.prune && problem.kernel.work != nullptr && problem.kernel.work_varies &&
             problem.device == nullptr && !problem.predict)
{
    if (is_on_ && !machine_.is_even()) {
        is_on_ = false; // the peaks of a slow core are no bound for a fast core
        say_("nothing is pruned: the cores of this machine differ in their highest rates");
    }
    if (!is_on_) return;
    data_ = problem.frame.addresses();
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

/// Returns 0 if the memory cannot be measured: it is then no bound.
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

/// Empty if the work has no value, such as a quotient by zero.
ATTUNE_INLINE std::optional<work> candidate_pruning::work_of(point const& at,
                                                             std::vector<bool>* read)
{
    try {
        work done;
        problem_.frame.with_arguments(data_, [&](void const* arguments) {
            done = problem_.kernel.work(problem_.space.describe(), at, arguments, read);
        });
        return done;
    } catch (std::exception const&) {
        return {};
    }
}

ATTUNE_INLINE least_time candidate_pruning::least(point const& at)
{
    std::optional<work> const done = is_on_ ? work_of(at, nullptr) : std::nullopt;
    return done ? least_of(*done, [this](unsigned threads) { return bytes_per_s(threads); })
                : least_time{};
}

ATTUNE_INLINE least_time candidate_pruning::least_of(
    work const& done, std::function<double(unsigned threads)> const& rate_of)
{
    try {
        unsigned const threads = done.threads > 0 ? done.threads : most_threads_;
        double const cached = machine_.cached * threads; // each thread may have separate caches
        core_peaks const& known = peaks();
        if (!known.is_optimised) {
            is_on_ = false; // the peaks of slowed code are too low to prove anything
            say_("nothing is pruned: this program is compiled without optimisation, or attune does "
                 "not "
                 "have the highest rates of this processor");
            return {};
        }
        double const rate = done.bytes > cached ? rate_of(threads) : 0;
        return least_time_of(known, done, threads, rate, cached);
    } catch (std::exception const&) { // the machine cannot be measured
        return {};
    }
}

ATTUNE_INLINE std::optional<double> candidate_pruning::cannot_win(point const& at)
{
    if (!is_on_ || !(best_ > 0)) return {};
    double least_s = least(at).seconds;
    if (!loses(least_s)) return {};
    if (verdicts_ + 1 >= next_peaks_) {
        next_peaks_ *= 8;
        measure_peaks_anew();
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

ATTUNE_INLINE bool candidate_pruning::may_win(point const& at)
{
    return !is_on_ || !(best_ > 0) || !loses(least(at).seconds);
}

/// Does not measure the memory: that takes long, and there may be many numbers of threads.
ATTUNE_INLINE bool candidate_pruning::loses(setting const& one)
{
    least_time const least = least_of(one.done, [this](unsigned threads) {
        auto const known = bytes_per_s_.find(threads);
        return known != bytes_per_s_.end() ? known->second : 0.0;
    });
    return loses(least.seconds);
}

/// Returns true if a time of a call is too short for the stated work, also with the highest peaks.
ATTUNE_INLINE bool candidate_pruning::is_below(point const& at, double seconds)
{
    auto const is = [&] { return least(at).seconds > margin * seconds; };
    if (!is()) return false;
    measure_peaks_anew();
    return is();
}

ATTUNE_INLINE void candidate_pruning::measure_peaks_anew()
{
    core_peaks fresh = machine_.peaks(true);
    raise_to(fresh, peaks());
    peaks_ = fresh;
    is_judged_ = false;
}

/// Lists the work of each setting. A call of the user's function shows which parameters it reads.
/// If it reads another parameter at a later setting, the list begins again.
/// @return  false if the settings cannot be listed, or if no time is left
ATTUNE_INLINE bool candidate_pruning::list_settings(std::function<bool()> const& may_go_on)
{
    if (std::exchange(is_listed_, true)) return !settings_.empty();
    chain_of_trees const& space = problem_.space;
    if (!space.is_exact() || space.has_real_parameters()) return false;
    std::vector<bool> known(space.describe().parameters.size(), false);
    for (bool is_complete = false; !is_complete;) {
        scope_.clear();
        settings_.clear();
        all_ = 0;
        for (std::uint32_t p = 0; p < known.size(); ++p)
            if (known[p]) scope_.push_back(p);
        if (!setting_list_size(space.describe(), scope_)) return false;
        std::vector<bool> read = known;
        bool const has_visited_all = for_each_setting(
            space, scope_, [&](std::uint64_t number, double configurations, point const& one) {
                settings_.push_back({number, configurations, work_of(one, &read).value_or(work{})});
                all_ += configurations;
                is_listed_ = may_go_on();
                return is_listed_ && read == known;
            });
        is_complete = read == known || !is_listed_;
        known = std::move(read);
        if (is_complete && !has_visited_all) settings_.clear();
    }
    return !settings_.empty();
}

ATTUNE_INLINE bool candidate_pruning::is_worth_narrowing()
{
    double left = 0;
    bool lacks_one = false;
    for (setting const& s : settings_) {
        if (loses(s)) continue;
        left += s.configurations;
        lacks_one = lacks_one || (!part_.empty() && !part_[s.number]);
    }
    return lacks_one || left < worth_narrowing * (left_ > 0 ? left_ : all_);
}

ATTUNE_INLINE std::optional<kept_settings>
candidate_pruning::narrower(std::function<bool()> const& may_go_on)
{
    bool const has_pruned = pruned_ > 0 || !part_.empty();
    if (!is_on_ || !has_pruned || !(best_ > 0) || is_judged_) return {};
    if (list_settings(may_go_on) && is_worth_narrowing()) measure_peaks_anew();
    if (!is_listed_) return {};
    is_judged_ = true;
    if (settings_.empty() || !is_worth_narrowing()) return {};
    kept_settings out{
        scope_, std::vector<bool>(*setting_list_size(problem_.space.describe(), scope_), true)};
    for (setting const& s : settings_)
        out.kept[s.number] = !loses(s);
    return out;
}

ATTUNE_INLINE bool candidate_pruning::narrowed(std::optional<kept_settings> const& part,
                                               bool is_checked)
{
    if (is_checked) --pruned_;
    left_ = 0;
    part_.clear();
    if (!part) return true;
    if (!list_settings([] { return true; }) || part->scope != scope_) return false;
    part_ = part->kept;
    for (setting const& s : settings_)
        if (part_[s.number]) left_ += s.configurations;
    return true;
}

ATTUNE_INLINE void candidate_pruning::stays_wide()
{
    is_listed_ = true;
    settings_.clear();
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
        is_judged_ = false;
    }
    return false;
}

ATTUNE_INLINE void candidate_pruning::stop(std::string why)
{
    is_on_ = false;
    (void)narrowed({});
    pruned_ = 0; // they must be tried: a tuning that ends before is not complete
    say_("nothing is pruned any more: " + std::move(why) +
         " on this machine; state less work there, or more threads and wider vectors");
}

ATTUNE_INLINE std::string candidate_pruning::sentence() const
{
    if (left_ > 0 && left_ < all_)
        return "the search continued in " + formatted("%.15g", left_) + " of " +
               formatted("%.15g", all_) +
               " configurations, because the work of the others takes longer on this machine than "
               "the best" +
               (pruned_ == 0 ? std::string{}
                             : "; " + std::to_string(pruned_) + " of its proposals " +
                                   (pruned_ == 1 ? "was" : "were") + " not tried for this reason") +
               " (kernel.work; options.search.prune = false tries all)";
    if (pruned_ == 0) return {};
    return std::to_string(pruned_) +
           (pruned_ == 1 ? " configuration was not tried, because its work takes"
                         : " configurations were not tried, because their work takes") +
           " longer on this machine than the best (kernel.work; options.search.prune = false tries "
           "all)";
}

} // namespace attune::inline ATTUNE_ABI::detail
