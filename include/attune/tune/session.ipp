// attune/tune/session.ipp - the loop and its final.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/interrupt.hpp>
#include <attune/tune/scoreboard.hpp>
#include <attune/tune/session.hpp>
#include <attune/tune/trial.hpp>

#include <algorithm>
#include <ctime>
#include <limits>
#include <utility>

namespace attune {

namespace detail {

/// The final takes a tenth of the time budget, but never more than this.
inline constexpr double longest_final_s = 2.0;

[[nodiscard]] inline double final_limit_s(tuning_options const& options)
{
    return std::min(longest_final_s, 0.1 * options.limits.seconds);
}

[[nodiscard]] inline std::string space_size_text(chain_of_trees const& space)
{
    if (auto const size = space.size(); size && *size < 1'000'000)
        return std::to_string(static_cast<std::uint64_t>(*size)) + " configurations";
    return "2^" + formatted("%.1f", space.log2_size()) + " configurations";
}

[[nodiscard]] inline std::uint32_t possible_evaluations(chain_of_trees const& space)
{
    constexpr std::uint32_t many = std::numeric_limits<std::uint32_t>::max();
    auto const size = space.size();
    if (space.has_real_parameters() || !size || *size > many) return many;
    return static_cast<std::uint32_t>(*size);
}

/// Keeps the winner only if it is faster than the default beyond the interval of the comparison.
inline void decide(trial_runner& runner,
                   tuning_options const& options,
                   callable const& default_code,
                   callable const& winner_code,
                   tuning_report& report)
{
    measurement const ratio = runner.compare(default_code, winner_code, final_limit_s(options));
    if (!(ratio.high < 1)) return;
    report.how = decision::tuned;
    report.speedup = 1 / ratio.value;
    report.speedup_low = 1 / ratio.high;
    report.speedup_high = 1 / ratio.low;
}

} // namespace detail

session_result run_session(tuning_problem const& problem, tuning_options const& options)
{
    require_usable(options.limits);
    description const& space = problem.space.describe();
    scoreboard board{problem.kernel.name,
                     options.limits,
                     detail::possible_evaluations(problem.space),
                     options.progress};
    interrupt_guard const interrupt;
    session_result out;
    tuning_report& report = out.report;
    report.kernel = problem.kernel.name;
    report.compiler = problem.compiler.identity();
    report.log2_space_size = problem.space.log2_size();
    report.default_configuration = text_of(space, problem.default_at);

    trial_runner runner{problem, options};
    board.announce(progress_event::started, detail::space_size_text(problem.space));
    trial const first = runner.establish_reference();
    report.default_time = std::get<measurement>(first.result);
    board.set_default(report.default_time.value);
    board.add(problem.default_at, first.result, report.default_configuration);

    any_searcher search = options.search(problem.space, options.seed);
    search.tell(problem.default_at, first.result);
    callable winner = first.code;
    while (board.budget_left(detail::final_limit_s(options)) && !interrupt.requested()) {
        std::vector<point> const asked = search.ask(1);
        if (asked.empty()) break;
        double const to_beat_s = board.best()->second.value;
        trial const tried = runner.run(asked.front(), to_beat_s);
        if (interrupt.requested()) break; // Ctrl-C reaches the children too: this proves nothing
        search.tell(asked.front(), tried.result);
        board.add(asked.front(), tried.result, text_of(space, asked.front()));
        if (board.best()->first == asked.front()) winner = tried.code;
    }

    bool const challenged = board.best()->first != problem.default_at;
    report.how = decision::kept_default;
    if (challenged) {
        board.announce(progress_event::finals, "");
        detail::decide(runner, options, first.code, winner, report);
    }
    bool const changed = report.how == decision::tuned;
    out.at = changed ? board.best()->first : problem.default_at;
    out.code = changed ? winner : first.code;
    report.configuration = text_of(space, out.at);
    report.best = changed ? board.best()->second : report.default_time;
    report.evaluations = board.evaluations();
    report.same_code = runner.same_code();
    report.failures = board.failures();
    report.first_failures = board.first_failures();
    report.compile_s = runner.compile_s();
    report.elapsed_s = board.elapsed_s();
    report.interrupted = interrupt.requested();
    if (std::string const said = problem.compiler.notice(); !said.empty())
        report.notices.push_back(said);
    for (std::string const& said : report.notices)
        board.announce(progress_event::notice, said);
    board.announce(progress_event::finished, summary(report));
    return out;
}

record make_record(record_key key,
                   description const& space,
                   session_result const& result,
                   tuning_options const& options)
{
    record out;
    out.key = std::move(key);
    for (std::size_t i = 0; i < space.parameters.size(); ++i)
        out.configuration.emplace_back(space.parameters[i].name,
                                       text_of(space.parameters[i], result.at[i]));
    out.best_s = result.report.best.value;
    out.default_s = result.report.default_time.value;
    out.evaluations = result.report.evaluations;
    out.failures = total(result.report.failures);
    out.seed = options.seed;
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32] = {};
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    out.when = text;
    out.attune = version;
    out.interrupted = result.report.interrupted;
    return out;
}

std::optional<point> point_of(record const& remembered, chain_of_trees const& space)
{
    description const& d = space.describe();
    point out(d.parameters.size());
    std::size_t placed = 0;
    for (auto const& [name, text] : remembered.configuration) {
        std::uint32_t const i = d.find_parameter(name);
        if (i == no_index) return {};
        auto const at = coordinate_of(d.parameters[i], text);
        if (!at) return {};
        out[i] = *at;
        ++placed;
    }
    if (placed != d.parameters.size() || !space.contains(out)) return {};
    return out;
}

} // namespace attune
