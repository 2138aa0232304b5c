// attune/ship/report/watch.ipp - the rows after the last winner, as a few lines that change.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/ship/report/problem_report.hpp>
#include <attune/ship/report/watch.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Number of problems shown at the same time.
inline constexpr std::size_t most_watched = 4;

/// Successive outcomes, such as those of a running tuning.
struct open_tuning {
    std::size_t outcomes = 0;
    std::array<std::size_t, failure_stage_count> failed{};
    std::vector<double> bests{}; ///< after each outcome with a value
    tried_row const* best = nullptr;
    double first = 0; ///< value of the default, which is measured first
    problem_objective objective{};
};

/// @param from  first row; past.open: the rows of the running tuning
[[nodiscard]] inline open_tuning rows_from(problem_history const& past, std::size_t from)
{
    open_tuning out{.objective = objective_of(past.problem.key)};
    for (std::size_t r = from; r < past.rows.size(); ++r) {
        tried_row const& row = past.rows[r];
        ++out.outcomes;
        if (auto const* const why = std::get_if<failure>(&row.result))
            ++out.failed[static_cast<std::size_t>(why->stage)];
        measurement const* const value = usable_value(out.objective, row);
        if (value == nullptr) continue;
        if (out.best == nullptr) out.first = value->value;
        if (out.best == nullptr || out.objective.is_better(value->value, out.bests.back()))
            out.best = &row;
        out.bests.push_back(usable_value(out.objective, *out.best)->value);
    }
    return out;
}

[[nodiscard]] inline std::string configuration_text(problem_history const& past,
                                                    value_texts const& values)
{
    std::string out;
    for (std::size_t p = 0; p < values.size() && p < past.problem.parameters.size(); ++p)
        out += (p == 0 ? "" : " ") + past.problem.parameters[p] + '=' + values[p];
    return out;
}

/// The best value after each outcome, from left to right. Times fall.
[[nodiscard]] inline std::string course_line(std::vector<double> const& bests, std::size_t width)
{
    constexpr std::array<std::string_view, 8> blocks{"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
                                                     "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86",
                                                     "\xe2\x96\x87", "\xe2\x96\x88"};
    auto const [low, high] = std::minmax(bests.front(), bests.back());
    auto const place = [is_log = low > 0](double v) { return is_log ? std::log(v) : v; };
    std::size_t const count = std::min(width, bests.size());
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        double const v = bests[i * (bests.size() - 1) / std::max<std::size_t>(count - 1, 1)];
        double const share = high > low ? (place(v) - place(low)) / (place(high) - place(low)) : 0;
        out += blocks[static_cast<std::size_t>(std::lround(7 * share))];
    }
    return out;
}

[[nodiscard]] inline std::string heading_of(problem_history const& past)
{
    std::string const inputs = text_of_pairs(past.problem.key.inputs);
    std::string const setting = text_of_pairs(past.problem.key.setting);
    return past.problem.key.kernel + (inputs.empty() ? "" : " " + inputs) +
           (setting.empty() ? "" : " (" + setting + ')');
}

/// "37 outcomes, 3 did not compile, 1 crashed"
[[nodiscard]] inline std::string counts_text(open_tuning const& now)
{
    std::string out = std::to_string(now.outcomes) + (now.outcomes == 1 ? " outcome" : " outcomes");
    for (std::size_t s = 0; s < failure_stage_count; ++s)
        if (now.failed[s] > 0)
            out += ", " + std::to_string(now.failed[s]) + ' ' +
                   std::string(describe(static_cast<failure_stage>(s)));
    return out;
}

/// "best 2.36 ms (7.93x faster than the first)"
[[nodiscard]] inline std::string best_text(open_tuning const& now)
{
    if (now.best == nullptr) return "nothing works yet";
    problem_objective const& of = now.objective;
    double const best = now.bests.back();
    std::string out = "best " + of.text(best);
    if (double const gain = of.gain(best, now.first); gain > 1)
        out += formatted(" (%.2fx ", gain) + of.better() + " than the first)";
    return out;
}

/// A text about a problem that no process tunes.
[[nodiscard]] inline std::string ended_text(problem_history const& past)
{
    if (!past.best)
        return counts_text(rows_from(past, 0)) + (past.rows.empty() ? "" : ", no winner");
    record const& best = *past.best;
    problem_objective const of = objective_of(past.problem.key);
    std::string out = of.text(best.best_s);
    if (double const gain = of.gain(best.best_s, best.default_s); gain > 0)
        out = speed_text(gain, of.is_seconds) + ": " + out;
    return out + (best.when.empty() ? "" : ", tuned " + best.when);
}

ATTUNE_INLINE std::vector<std::string> watch_lines(std::vector<problem_history> const& problems,
                                                   std::size_t columns)
{
    std::vector<std::string> out;
    auto const add = [&](std::string const& text) {
        out.push_back(shortened(shown_text(text), std::max<std::size_t>(columns, 20) - 1));
    };
    std::size_t shown = 0;
    for (auto one = problems.rbegin(); one != problems.rend() && shown < most_watched; ++one) {
        if (!one->is_open()) continue;
        ++shown;
        open_tuning const now = rows_from(*one, one->open);
        add(heading_of(*one) + ": " + counts_text(now));
        if (now.best == nullptr) {
            add("  " + best_text(now));
            continue;
        }
        add("  " + best_text(now) + "  " +
            course_line(now.bests, std::max<std::size_t>(columns, 64) - 56));
        add("  " + configuration_text(*one, now.best->values));
    }
    if (shown > 0) return out;
    if (problems.empty()) return {"nothing is kept yet"};
    add(heading_of(problems.back()) + ": " + ended_text(problems.back()));
    return out;
}

/// "31 days"
[[nodiscard]] inline std::string text_of_age(double seconds)
{
    if (seconds < 2 * 3600) return formatted("%.0f minutes", seconds / 60);
    if (seconds < 48 * 3600) return formatted("%.0f hours", seconds / 3600);
    return formatted("%.0f days", seconds / 86400);
}

/// A sentence about a file without a write for minutes: perhaps no tuning runs.
[[nodiscard]] inline std::string silence_of(std::string const& path)
{
    std::error_code failed;
    auto const written = std::filesystem::last_write_time(path, failed);
    if (failed) return {};
    double const age_s =
        std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() - written)
            .count();
    return age_s < 300 ? std::string() : "  nothing was written for " + text_of_age(age_s);
}

[[nodiscard]] inline std::vector<std::string>
look_at(followed_store& store, std::string const& path, watch_settings const& with)
{
    std::size_t const most =
        with.kernel.empty() ? most_watched : std::numeric_limits<std::size_t>::max();
    std::vector<listed_problem> const all = store.problems(most);
    std::vector<problem_history> latest; // a running tuning was written last
    for (auto one = all.rbegin(); one != all.rend() && latest.size() < most_watched; ++one)
        if (with.kernel.empty() || one->problem.key.kernel == with.kernel)
            latest.push_back(store.history(*one));
    std::reverse(latest.begin(), latest.end());
    std::vector<std::string> out = watch_lines(latest, with.columns());
    bool const is_open = std::any_of(latest.begin(), latest.end(),
                                     [](problem_history const& one) { return one.is_open(); });
    if (std::string const silence = silence_of(path); is_open && !silence.empty())
        out.push_back(silence);
    return out;
}

/// Writes `lines` over `last`. Cuts longer lines, because a terminal would wrap them into uncounted
/// lines.
[[nodiscard]] inline std::string drawn_over(std::vector<std::string> const& last,
                                            std::vector<std::string> const& lines, bool is_terminal)
{
    std::string out;
    for (std::string const& line : lines)
        out += line + '\n';
    if (!is_terminal) return out;
    std::string const up = // also clears the lines below
        last.empty() ? "" : "\x1b[" + std::to_string(last.size()) + "A\x1b[J";
    return up + "\x1b[?7l" + out + "\x1b[?7h";
}

ATTUNE_INLINE void watch_store(std::string const& path, watch_settings const& with)
{
    followed_store store(path);
    std::vector<std::string> last;
    do {
        double const begun_s = steady_seconds();
        std::vector<std::string> lines = last;
        switch (store.refresh()) {
        case followed_store::state::absent:
            if (!with.waits_for)
                throw error("there is no such store", path, "name a file that attune::store wrote");
            lines = {"waiting for " + shown_text(path)};
            break;
        case followed_store::state::changed:
            lines = look_at(store, path, with);
            break;
        case followed_store::state::same:
            break;
        }
        if (lines != last) {
            with.write(drawn_over(last, lines, with.is_terminal));
            last = std::move(lines);
        }
        if (!with.goes_on()) return;
        // A reading takes at most a twentieth of a processor's time.
        with.wait(std::max(0.5, 20 * (steady_seconds() - begun_s)));
    } while (true);
}

} // namespace attune::inline ATTUNE_ABI::detail
