// attune/tune/loop/trial.ipp - decides which variants are measured, and reuses outcomes of equal code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/trial.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_set>

namespace attune::inline ATTUNE_ABI::detail {

/// Beginning of the static_assert text that requires the kernel with its declared types.
inline constexpr std::string_view entry_sentence = "attune: kernel '";

[[noreturn]] ATTUNE_INLINE void refuse_default(tuning_problem const& problem, failure const& why)
{
    if (std::size_t const at = why.reason.find(entry_sentence); at != std::string::npos)
        throw default_fails(
            why.reason.substr(at + std::string_view{"attune: "}.size()), problem.kernel.source.path,
            "give the function in the file and attune::kernel<...> the same name and types");
    bool const compiles = why.stage != failure_stage::compile && why.stage != failure_stage::load;
    bool const outside = why.reason.find("past the end of") != std::string::npos ||
                         why.reason.find("before the start of") != std::string::npos;
    std::string where =
        problem.kernel.source.path + ", " + text_of(problem.space.describe(), problem.default_at);
    where += "\n         " + why.reason;
    std::string next = "make the kernel work with its default values first";
    if (outside)
        next = "pass longer spans, or correct the sizes that the kernel computes";
    else if (why.reason.find("only to be read") != std::string::npos)
        next = "give the kernel a std::span of elements that are not const";
    else if (why.stage == failure_stage::verify)
        next = "compare the kernel's default with the reference or check you gave it";
    else if (!compiles && !why.log.empty())
        next = "the compiler said:\n" + why.log;
    else if (why.stage == failure_stage::timeout)
        next = "tune on a smaller problem, or raise tuning_options::limits.default_run_s";
    throw default_fails("the default configuration of kernel '" + problem.kernel.name + "' " +
                            std::string(describe(why.stage)),
                        where, next);
}

/// Makes the first run and, if that succeeds, the timing.
/// @param errors  place for the error of the run's result; may be null
/// @param judge   may make a right result a failure, before the timing; may be empty
inline void run_and_time(trial& made, bench& place, double limit_s, double stop_above_s,
                         errors_seen* errors, std::function<void()> const& judge = {})
{
    made.first_run_s = 0;
    made.timing = {};
    made.is_cut = true; // until its result is known
    made.result = failure{failure_stage::timeout, "cut short by Ctrl-C"};
    if (stop_is_requested()) return;
    if (errors != nullptr) errors->latest = std::numeric_limits<double>::quiet_NaN();
    first_run_result const end = place.first_run(made.code, limit_s);
    if (errors != nullptr) made.bounded.error = errors->latest;
    if (auto const* why = std::get_if<failure>(&end)) {
        made.result = *why;
    } else {
        double const run_s = std::get<double>(end);
        made.result = measurement::exact(run_s);
        if (judge) judge();
        if (succeeded(made.result))
            made.result =
                place.time(made.code, stop_above_s, std::max(limit_s, 10 * run_s), made.timing);
        made.first_run_s = run_s;
    }
    made.is_cut = false;
}

/// Returns the default's time; after Ctrl-C, the time of its first run.
[[nodiscard]] inline outcome time_of_default(bench& place, callable const& code, double first_run_s,
                                             double limit_s, timing_record& taken)
{
    try {
        cuttable const here;
        return place.time(code, std::numeric_limits<double>::infinity(), limit_s, taken);
    } catch (cut_short const&) {
        taken = {};
        return measurement::exact(first_run_s);
    }
}

ATTUNE_INLINE trial_runner::trial_runner(tuning_problem const& problem,
                                         tuning_options const& options)
    : problem_(problem)
    , options_(options)
    , pool_(make_bench(problem, options),
            problem.predict ? std::vector<int>{} : options.device.others)
    , page_starts_(problem.frame, options.measuring.protect)
    , quickest_s_(std::numeric_limits<double>::infinity())
{
    if (problem.kernel.most_joules <= 0) return;
    if (std::string const why = pool_.own().why_no_energy(); !why.empty())
        throw error("kernel '" + problem.kernel.name + "' has a bound on its energy: " + why,
                    "kernel.bound_energy()",
                    "tune where energy can be measured, or without that bound");
}

/// Returns why the energy is beyond the bound; empty if it is not.
[[nodiscard]] inline std::string why_beyond(call_energy const& e, double most)
{
    std::string const within = " (within " + formatted("%.2g", 100 * e.half_width) + " %)";
    if (!(e.joules > 0)) return "its energy is not known (the counters did not rise enough)";
    if (!is_known(e)) return "its energy is not known" + within;
    if (e.joules <= most) return {};
    return "it takes " + formatted("%.4g", e.joules) + " J per call" + within +
           ", its bound at most " + formatted("%.4g", most) +
           (e.joules - most <= e.half_width * e.joules ? ", which lies within the uncertainty"
                                                       : "");
}

/// Measures the energy. A variant beyond the bound fails, and so does a variant of unknown energy.
ATTUNE_INLINE void trial_runner::measure_energy(trial& made, bench& place, double limit_s) const
{
    double const most = problem_.kernel.most_joules;
    if (most <= 0 || !succeeded(made.result)) return;
    auto const got = place.energy(made.code, limit_s);
    if (auto const* why = std::get_if<failure>(&got)) {
        made.result = *why;
        return;
    }
    auto const& e = std::get<call_energy>(got);
    if (is_known(e)) made.bounded.joules = e.joules;
    if (std::string why = why_beyond(e, most); !why.empty())
        made.result = failure{failure_stage::bound, std::move(why)};
}

ATTUNE_INLINE void trial_runner::measure_energy_of_default(trial& standard)
{
    standard.is_cut = true;
    until_cut([&] {
        measure_energy(standard, pool_.own(), options_.limits.default_run_s);
        standard.is_cut = false;
    });
    auto const* const why = std::get_if<failure>(&standard.result);
    if (why == nullptr) return;
    bool const is_beyond = !std::isnan(standard.bounded.joules);
    throw error("the default configuration of kernel '" + problem_.kernel.name +
                    "' has to keep the bound on its energy: " + why->reason,
                text_of(problem_.space.describe(), problem_.default_at),
                is_beyond ? "raise the bound of kernel.bound_energy(), or give a default that "
                            "keeps it"
                          : "tune while nothing else runs, or raise limits.seconds, so that more "
                            "calls are measured in a row");
}

ATTUNE_INLINE trial trial_runner::establish_reference(compile_result compiled,
                                                      std::optional<measurement> const& known)
{
    if (auto const* why = std::get_if<failure>(&compiled)) refuse_default(problem_, *why);
    callable code = std::get<callable>(std::move(compiled));
    double const begun_s = steady_seconds();
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    errors_seen* const seen = error_seen();
    if (seen != nullptr) *seen = {unknown, unknown};
    first_run_result const end = pool_.own().establish(code, options_.limits.default_run_s);
    if (auto const* why = std::get_if<failure>(&end)) refuse_default(problem_, *why);
    quickest_s_ = std::get<double>(end);
    default_ = code;
    bounded_values bounded{.error = seen != nullptr ? seen->of_default : unknown};
    double const reference_s = has_reference(problem_.kernel, problem_.frame)
                                   ? std::max(0.0, steady_seconds() - begun_s - quickest_s_)
                                   : 0;
    timing_record taken;
    outcome const result = known ? *known
                                 : time_of_default(pool_.own(), code, quickest_s_,
                                                   options_.limits.default_run_s, taken);
    if (auto const* why = std::get_if<failure>(&result)) refuse_default(problem_, *why);
    trial out{.result = result, .code = code, .bounded = bounded};
    measure_energy_of_default(out);
    if (!code.object_key.empty() && !out.is_cut) {
        by_code_.emplace(code.object_key, result);
        bounded_of_code_.emplace(code.object_key, out.bounded);
    }
    pool_.set_up(code, options_.limits.default_run_s, std::get<measurement>(result));
    if (!taken.times.empty()) {
        known_ = code;
        known_how_ = taken;
        pace_.begin(taken.times);
    }
    out.first_run_s = std::get<double>(end);
    out.timing = std::move(taken);
    out.reference_s = reference_s;
    return out;
}

ATTUNE_INLINE errors_seen* trial_runner::error_seen() const noexcept
{
    return problem_.error_seen && pool_.size() == 1 ? &problem_.error_seen->get() : nullptr;
}

ATTUNE_INLINE trial trial_runner::run(compile_result compiled, double stop_above_s)
{
    std::vector<compile_result> one;
    one.push_back(std::move(compiled));
    return run_all(std::move(one), stop_above_s).front();
}

ATTUNE_INLINE std::vector<trial> trial_runner::run_all(std::vector<compile_result> compiled,
                                                       double stop_above_s)
{
    double const limit_s = first_run_limit_s(quickest_s_, options_.limits.first_run_ratio);
    if (problem_.kernel.objective) // the best value is no time
        stop_above_s = std::numeric_limits<double>::infinity();
    std::vector<trial> out(compiled.size());
    std::vector<bench_pool::job> jobs;
    std::vector<std::size_t> measured; // compiled variants in order, with or without a job
    std::unordered_set<std::string> is_new;
    for (std::size_t i = 0; i < compiled.size(); ++i) {
        if (auto const* why = std::get_if<failure>(&compiled[i])) {
            out[i].result = *why;
            continue;
        }
        out[i].code = std::get<callable>(std::move(compiled[i]));
        std::string const& key = out[i].code.object_key;
        measured.push_back(i);
        bool const is_known =
            by_code_.contains(key) || (!key.empty() && !is_new.insert(key).second);
        if (is_known) continue;
        jobs.emplace_back([this, &made = out[i], limit_s, stop_above_s,
                           seen = error_seen()](bench& place) {
            try {
                bool is_judged = false;
                auto const judge = [&] { is_judged = judge_in_other_calls(made, stop_above_s); };
                run_and_time(made, place, limit_s, stop_above_s, seen, judge);
                if (made.is_cut) return;
                made.is_cut = true;
                // A first run is cold: its time may be far from that of later runs.
                if (!is_judged && succeeded(made.result)) judge();
                measure_energy(made, place, limit_s);
                made.is_cut = false;
            } catch (cut_short const&) { // made.is_cut is set
            }
        });
    }
    pool_.work(jobs);
    if (jobs.size() == 1 && at_once() == 1)
        for (trial& made : out)
            if (made.first_run_s > 0) correct(made, stop_above_s);
    for (std::size_t const i : measured) {
        trial& made = out[i];
        std::string const& key = made.code.object_key;
        if (made.is_cut) continue;
        if (key.empty() || is_new.erase(key) > 0) {
            if (!key.empty()) {
                by_code_.emplace(key, made.result);
                bounded_of_code_.emplace(key, made.bounded);
            }
            if (made.first_run_s > 0) quickest_s_ = std::min(quickest_s_, made.first_run_s);
        } else {
            auto const same = by_code_.find(key);
            made.is_cut = same == by_code_.end(); // the trial of the same code was cut
            if (made.is_cut) continue;
            ++same_code_;
            made.result = same->second;
            if (auto const known = bounded_of_code_.find(key); known != bounded_of_code_.end())
                made.bounded = known->second;
        }
    }
    return out;
}

ATTUNE_INLINE outcome trial_runner::run_baseline(callable const& own)
{
    trial made;
    made.code = own;
    constexpr double no_limit = std::numeric_limits<double>::infinity();
    run_and_time(made, pool_.own(), options_.limits.default_run_s, no_limit, nullptr);
    return made.result;
}

ATTUNE_INLINE void trial_runner::refer_to(callable const& own)
{
    double const limit_s = options_.limits.default_run_s;
    bench& place = pool_.own();
    bool const agrees = std::holds_alternative<double>(place.establish(own, limit_s)) &&
                        std::holds_alternative<double>(place.first_run(default_, limit_s));
    if (!agrees) static_cast<void>(place.establish(default_, limit_s));
}

/// Variants are not checked in other calls while their time is more than this many times the best
/// time, and more than `short_first_run_s`. Such a variant is no leader.
inline constexpr double most_times_best = 4;
inline constexpr double short_first_run_s = 0.01;

ATTUNE_INLINE bool trial_runner::judge_in_other_calls(trial& made, double best_s)
{
    constexpr double limit_s = longest_in_other_calls_s;
    double const run_s = std::get<measurement>(made.result).value;
    if (problem_.device != nullptr || problem_.predict ||
        run_s > std::max(most_times_best * best_s, short_first_run_s))
        return false;
    if (run_s < limit_s / 2)
        if (auto why = page_starts_.failure_of(default_, made.code, limit_s)) {
            made.result = *std::move(why);
            return true;
        }
    if (auto why = failure_with_contents(problem_.kernel, problem_.frame, default_, made.code,
                                         limit_s, options_.measuring.protect)) {
        made.result = *std::move(why);
        return true;
    }
    if (auto why = failure_with_other_numbers(problem_.kernel, problem_.frame, default_, made.code,
                                              limit_s, options_.measuring.protect)) {
        made.result = *std::move(why);
        return true;
    }
    if (made.code.facts.depends_on_this_call_alone) return true;
    if (auto why = failure_after_other_calls(problem_.kernel, problem_.frame, default_, made.code,
                                             limit_s, options_.measuring.protect))
        made.result = *std::move(why);
    return true;
}

/// Takes one sample if the machine runs at full speed, otherwise three. A sample during which the
/// thread lost its processor does not count.
ATTUNE_INLINE void trial_runner::probe()
{
    try {
        double const limit_s = options_.limits.default_run_s;
        std::vector<time_sample> seen = pool_.own().sample(known_, known_how_, 1, limit_s);
        if (seen.empty()) return;
        bool const is_slow =
            seen.front().seconds > (1 + machine_pace::much / 2) * pace_.undisturbed_s();
        if (is_slow || seen.front().is_disturbed)
            for (time_sample const& again : pool_.own().sample(known_, known_how_, 2, limit_s))
                seen.push_back(again);
        auto const is_disturbed = [](time_sample const& s) { return s.is_disturbed; };
        if (!std::all_of(seen.begin(), seen.end(), is_disturbed)) std::erase_if(seen, is_disturbed);
        pace_.probe(seen);
    } catch (cut_short const&) { // earlier measurements stay
    }
}

/// A variant replaces the known run if its time is at most this share of the known run's time.
inline constexpr double much_faster = 0.6;

/// Divides the times by the slowdown of the known run if the machine was slow. The variant is
/// assumed to have the same slowdown. The timing record changes too, so that the event log agrees.
/// A variant much faster than the known run replaces it, so that probes stay cheap.
/// @param best_s  time that the trial was compared with; may be infinity
ATTUNE_INLINE void trial_runner::correct(trial& made, double best_s)
{
    if (!succeeded(made.result) || made.timing.times.empty() || !pace_.has_begun()) return;
    std::vector<double> const& times = made.timing.times;
    double const spent_s = std::accumulate(times.begin(), times.end(), 0.0) * made.timing.runs;
    double const took_s = std::get<measurement>(made.result).value;
    // A new best needs a probe, because later variants are compared with it. A slow phase that adds
    // less than 7.5 % to the best lasts until the next due probe.
    bool const may_be_slowed = took_s > (1 + machine_pace::much / 2) * best_s;
    bool const is_doubtful =
        may_be_slowed || took_s < best_s || took_s <= much_faster * pace_.undisturbed_s();
    double const probe_s = pace_.undisturbed_s() * known_how_.runs;
    if (!pace_.wants_probe(made.first_run_s + spent_s, probe_s, is_doubtful)) return;
    probe();
    double const slowness = std::max(pace_.slowness_between(), 1.0);
    timing_record as_taken = made.timing;
    if (slowness > 1 + machine_pace::much) {
        for (double& s : made.timing.times)
            s /= slowness;
        made.result = estimate_of(made.timing);
    }
    if (std::get<measurement>(made.result).value > much_faster * pace_.undisturbed_s()) return;
    known_ = made.code;
    known_how_ = std::move(as_taken);
    pace_.begin(known_how_.times, slowness);
}

ATTUNE_INLINE std::variant<round_times, std::size_t>
trial_runner::compare(std::span<callable const> variants, double limit_s)
{
    return pool_.own().compare(variants, limit_s);
}

} // namespace attune::inline ATTUNE_ABI::detail
