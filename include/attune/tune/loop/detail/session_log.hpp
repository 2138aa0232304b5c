// attune/tune/loop/detail/session_log.hpp - the log of a session, and its state before an interruption.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/tune/kernel/own_code.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/finals.hpp>
#include <attune/tune/loop/logged_search.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>
#include <attune/tune/shape/array_contents.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
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

} // namespace attune::inline ATTUNE_ABI::detail
