// attune/tune/loop/detail/session_report.hpp - the log of a session with its state before an interruption, and its report.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/measure/clock/time_in_turns.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/finals.hpp>
#include <attune/tune/loop/logged_search.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/time_bounds.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/pipeline/core_pin.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>
#include <attune/tune/report.hpp>
#include <attune/tune/shape/array_contents.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Outcomes of sessions with equal keys are comparable: same kernel, machine and way of measuring.
[[nodiscard]] inline std::string session_key(tuning_problem const& problem,
                                             tuning_options const& options)
{
    description const& space = problem.space.describe();
    record_key const key =
        make_key(problem.kernel, space, problem.compiler.identity(), problem.device);
    content_hash hash;
    hash.add(key.kernel).add(key.source).add(key.schema).add(key.compiler).add(key.device);
    for (named_texts const& texts : {key.inputs, problem.sizes})
        for (auto const& [name, value] : texts)
            hash.add(name).add(value);
    hash.add(options.measuring.cache == cache_state::warm ? "warm" : "cold");
    hash.add(problem.kernel.check ? "checked" : "compared");
    if (problem.kernel.error) hash.add(hexadecimal_text(problem.kernel.most_error));
    if (problem.kernel.most_joules > 0)
        hash.add("joules").add(hexadecimal_text(problem.kernel.most_joules));
    if (problem.kernel.objective) {
        problem_objective const& of = problem.kernel.objective->of;
        hash.add("objective").add(of.unit).add(of.is_higher_better ? "highest" : "lowest");
    }
    hash.add(has_reference(problem.kernel, problem.frame) ? "given reference"
                                                          : "default's reference");
    if (judged_by_own(problem.kernel)) hash.add("own code agrees with it, or not");
    if (problem.kernel.contents) hash.add(text_of_contents(*problem.kernel.contents));
    if (options.device.as_graph) hash.add("as graph");
    if (problem.predict) hash.add("predicted");
    for (std::string const& feature : space.code_metrics)
        hash.add(feature);
    std::string start;
    for (named_value const& v : named_values(space))
        start += (start.empty() ? "" : " ") + std::string(v.name) + '=' +
                 text_at(space, v, problem.default_at);
    return hash.add(start).hex();
}

/// The event log of one session. logged_search writes the calls of the search.
class session_log {
public:
    session_log(tuning_problem const& problem, tuning_options const& options)
        : log_(options.event_log.empty()
                   ? event_log{}
                   : event_log{options.event_log, session_key(problem, options),
                               options.search.seed})
    {
    }

    [[nodiscard]] event_log& log() noexcept { return log_; }

    /// Drops the past, or the outcomes in a damaged log, unless they begin with a time of the
    /// default configuration. The default is measured first and must work.
    /// @return why it was dropped; empty: the past is kept
    [[nodiscard]] std::string check_beginning(point const& default_at)
    {
        bool const is_damaged = !log_.salvaged().empty();
        std::vector<event> const& events = is_damaged ? log_.salvaged() : log_.past();
        auto const first =
            is_damaged ? first_outcome(events)
                       : std::find_if(events.begin(), events.end(),
                                      [](event const& e) { return e.kind == event_kind::told; });
        if (first == events.end()) return {};
        auto const time = time_of(*first);
        if (first->points.size() == 1 && first->points.front() == default_at && time &&
            std::isfinite(time->value) && time->value > 0)
            return {};
        log_.begin_anew();
        return "the interrupted tuning cannot be continued: its log does not begin with the time "
               "of the default configuration";
    }

    void compiled(pipelined_variant const& next)
    {
        event e{.kind = event_kind::compiled, .points = {next.at}};
        if (auto const* code = std::get_if<callable>(&next.code)) {
            e.seconds = code->compile_s;
            e.text = code->object_key;
        } else
            e.result = std::get<failure>(next.code);
        log_.add(e);
    }

    void first_run(point const& at, double seconds)
    {
        if (seconds > 0)
            log_.add({.kind = event_kind::first_run, .points = {at}, .seconds = seconds});
    }

    /// Logs the times behind a measurement; nothing for a failure or for untimed code.
    void sampled(point const& at, trial const& tried)
    {
        if (succeeded(tried.result) && !tried.timing.times.empty())
            log_.add({.kind = event_kind::sampled, .points = {at}, .timing = tried.timing});
    }

    void sampled(std::span<finalist const> field, round_times const& times)
    {
        for (std::size_t i = 0; i < field.size(); ++i)
            log_.add({.kind = event_kind::sampled,
                      .points = {field[i].at},
                      .text = "final",
                      .timing = timing_record{.times = times.seconds(i)}});
    }

    void chosen(point const& at) { log_.add({.kind = event_kind::chosen, .points = {at}}); }

    /// The keys of the code compiled before an interruption.
    [[nodiscard]] std::unordered_map<point, std::string, point_hash> past_keys() const
    {
        std::unordered_map<point, std::string, point_hash> out;
        for (event const& e : log_.past())
            if (e.kind == event_kind::compiled) out[e.points.front()] = e.text;
        return out;
    }
    /// Joules of a call from outcomes before an interruption, by the last of excesses().
    [[nodiscard]] std::unordered_map<point, double, point_hash>
    past_joules(kernel_description const& kernel) const
    {
        std::unordered_map<point, double, point_hash> out;
        if (kernel.most_joules <= 0) return out;
        for (event const& e : log_.past())
            if (e.kind == event_kind::told && !e.numbers.empty() && !std::isnan(e.numbers.back()))
                out[e.points.front()] =
                    value_at_excess(at_most("joules", kernel.most_joules), e.numbers.back());
        return out;
    }
    /// The most threads that a run kept busy before an interruption.
    [[nodiscard]] unsigned past_threads() const
    {
        unsigned out = 1;
        for (event const& e : log_.past())
            if (e.timing) out = std::max(out, e.timing->threads);
        // The file may be damaged, and this many threads may be started to measure the machine.
        return std::min(out, std::max(1U, std::thread::hardware_concurrency()));
    }

private:
    [[nodiscard]] static std::optional<measurement> time_of(event const& e)
    {
        if (e.timing) return estimate_of(*e.timing);
        auto const* const m = std::get_if<measurement>(&*e.result);
        return m != nullptr ? std::optional(*m) : std::nullopt;
    }

    event_log log_;
};

[[nodiscard]] inline std::string space_size_text(chain_of_trees const& space)
{
    if (auto const size = space.size(); size && *size < 1'000'000)
        return std::to_string(static_cast<std::uint64_t>(*size)) + " configurations";
    return (space.is_exact() ? "2^" : "about 2^") + formatted("%.1f", space.log2_size()) +
           " configurations";
}

inline void note(tuning_report& report, std::string sentence)
{
    if (!sentence.empty()) report.notices.push_back(std::move(sentence));
}

/// Fills in the facts that are known before anything runs.
inline void put_into(tuning_report& report, tuning_problem const& problem)
{
    report.kernel = problem.kernel.name;
    report.compiler = problem.compiler.identity();
    report.predicted = problem.predict;
    report.objective = objective_of(problem);
    report.log2_space_size = problem.space.log2_size();
    report.default_configuration = text_of(problem.space.describe(), problem.default_at);
}

/// @pre  report.default_time is from the beginning of the session
/// @param default_time  the default's time in the final
inline void put_into(tuning_report& report, final_result const& end,
                     measurement const& default_time)
{
    report.noise = noise_of(report.default_time, default_time, end.ratio);
    report.noise.unsure = end.unsure;
    report.default_time = end.default_time;
    if (end.winner == 0) return;
    report.how = decision::tuned;
    report.speedup = 1 / end.ratio.value;
    report.speedup_low = 1 / end.ratio.high;
    report.speedup_high = 1 / end.ratio.low;
}

/// Compares times that were not taken in turns, by the widest interval that both allow.
inline void put_into(tuning_report& report, measurement const& installed,
                     measurement const& baseline)
{
    report.baseline = {baseline, baseline.value / installed.value, baseline.low / installed.high,
                       baseline.high / installed.low};
}

/// Compares the winner with the baseline, which was contestant `own` of the final.
inline void put_into(tuning_report& report, final_result const& end, round_times const& times,
                     std::size_t own)
{
    measurement const ratio =
        times.ratio(end.winner, own, final_options(times.size(), 0).confidence);
    measurement const time{end.time.value * ratio.value, end.time.value * ratio.low,
                           end.time.value * ratio.high, ratio.samples};
    report.baseline = {time, ratio.value, ratio.low, ratio.high};
}

inline void put_into(tuning_report& report, run_state const& board, trial_runner const& runner,
                     variant_pipeline const& supply)
{
    report.evaluations = board.evaluations();
    report.failures = board.failures();
    report.first_failures = board.first_failures();
    report.elapsed_s = board.elapsed_s();
    report.same_code = runner.same_code();
    report.isolation = runner.protection();
    report.compiled = supply.compiled();
    report.from_cache = supply.from_cache();
    report.compile_s = supply.compile_s();
    report.code_s = supply.code_s();
    report.search_s = supply.search_s();
}

inline void put_into(tuning_report& report, candidate_verdicts const& pruning)
{
    report.pruned = static_cast<std::uint32_t>(pruning.pruned());
    report.left_share = pruning.left_share();
    note(report, pruning.sentence());
}

/// Fills in joules per call of the installed configuration and of the default, for
/// kernel.bound_energy(); 0: unknown.
inline void put_joules(tuning_report& report, kernel_description const& kernel, double joules,
                       double default_joules, bool is_default)
{
    report.joules = joules;
    report.default_joules = default_joules;
    if (joules <= 0) return;
    std::string said = "a call takes " + formatted("%.3g", joules) + " J, of at most " +
                       formatted("%.3g", kernel.most_joules);
    if (default_joules > 0 && !is_default)
        said += "; the default takes " + formatted("%.3g", default_joules);
    note(report,
         said + "; the counters measure whole processors, with the energy of other programs");
}

/// Returns a notice if the baseline is faster than the installed configuration; otherwise empty.
[[nodiscard]] inline std::string slower_than_own(baseline_comparison const& own,
                                                 problem_objective const& of)
{
    if (own.speedup_high >= 1) return {};
    return "your own code (kernel.baseline) is " + formatted("%.2fx ", 1 / own.speedup) +
           of.better() +
           " than the installed configuration: call your own code, or give the kernel what makes "
           "it " +
           (of.is_seconds ? "fast" : "good");
}

/// Turns the numbers that the search minimised into values of the kernel's objective.
inline void turn_values(tuning_report& report)
{
    problem_objective const& of = report.objective;
    report.best = of.turned(report.best);
    report.default_time = of.turned(report.default_time);
    if (report.baseline) report.baseline->time = of.turned(report.baseline->time);
}

/// Returns a warning if the outcome of a final is uncertain; otherwise empty.
[[nodiscard]] inline std::string warning_of(machine_noise const& noise, final_result const& end,
                                            std::size_t contestants, problem_objective const& of)
{
    std::string const unproven = want_of_rounds(end, contestants, of);
    if (!unproven.empty()) return unproven;
    return noise.is_disturbed
               ? ""
               : attune::detail::warning_of(noise, end.ratio); // which has more detail
}

/// Measures the time that other programs took from this thread and from its processors, from the
/// construction of this object.
class processor_watch {
public:
    void note_threads(std::uint32_t threads) noexcept { threads_ = std::max(threads_, threads); }

    /// Fills in the observations of the scheduler and of probes.
    void put_into(machine_noise& noise, disturbance const& seen) const
    {
        noise.slow_share = seen.share;
        noise.slowdown = seen.slowdown;
        double const waited_s = waited_for_processor_s() - waited_before_s_;
        double const ran_s = system_clocks{}.thread_cpu_s() - cpu_before_s_;
        if (waited_s > 0) noise.waited = waited_s / (waited_s + ran_s);
        noise.threads = threads_;
        if (auto const held = held_by_others(begun_, read_processors(begun_.processors))) {
            noise.held = *held;
            noise.processors = begun_.processors.size();
        }
        noise.is_disturbed = is_too_disturbed(noise);
    }

private:
    double waited_before_s_ = waited_for_processor_s();
    double cpu_before_s_ = system_clocks{}.thread_cpu_s();
    processor_reading begun_ = read_processors(allowed_processors());
    std::uint32_t threads_ = 1;
};

/// Returns the gain of each technique of the search; a strategy of one technique has its own name.
/// @param tried  proposals that were tried or pruned, as bandits count
[[nodiscard]] inline std::vector<search::technique_use>
uses_of(variant_pipeline const& supply, std::size_t tried, std::size_t new_bests)
{
    std::vector<search::technique_use> out = supply.uses();
    std::string const strategy = supply.strategy();
    if (out.empty() && !strategy.empty()) out.push_back({strategy, tried, new_bests});
    return out;
}

/// Returns the text of record::ended.
/// @param has_tried_all  all that was not pruned
[[nodiscard]] inline std::string how_it_ended(tuning_report const& report, bool has_tried_all,
                                              bool has_met_rule)
{
    if (report.interrupted) return "interrupted";
    bool const is_pruned = report.left_share < 1 || report.pruned > 0;
    if (has_tried_all) return is_pruned ? "part" : "space";
    return has_met_rule ? "stop rule" : "budget";
}

} // namespace attune::inline ATTUNE_ABI::detail
