// attune/ship/report/watch.ipp - the rows behind the last winner, as a few lines that change.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/quantity_text.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/store_content.hpp>
#include <attune/ship/report/detail/shown_text.hpp>
#include <attune/ship/report/watch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Problems that are shown at once.
inline constexpr std::size_t most_watched = 4;

/// The outcomes of the tuning that is at work.
struct open_tuning {
    std::size_t outcomes = 0;
    std::array<std::size_t, failure_stage_count> failed{};
    std::vector<double> best_s{}; ///< after each outcome with a time
    tried_row const* best = nullptr;
    double first_s = 0; ///< of the default, which is measured first
};

[[nodiscard]] inline open_tuning open_rows(problem_history const& past)
{
    open_tuning out;
    for (std::size_t r = past.open; r < past.rows.size(); ++r) {
        tried_row const& row = past.rows[r];
        ++out.outcomes;
        if (auto const* const why = std::get_if<failure>(&row.result))
            ++out.failed[static_cast<std::size_t>(why->stage)];
        measurement const* const time = usable_time(row);
        if (time == nullptr) continue;
        if (out.best == nullptr) out.first_s = time->value;
        if (out.best == nullptr || time->value < out.best_s.back()) out.best = &row;
        out.best_s.push_back(usable_time(*out.best)->value);
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

/// The best time after each outcome, from left to right, high to low.
[[nodiscard]] inline std::string falling_line(std::vector<double> const& best_s, std::size_t width)
{
    constexpr std::array<std::string_view, 8> blocks{"\xe2\x96\x81",
                                                     "\xe2\x96\x82",
                                                     "\xe2\x96\x83",
                                                     "\xe2\x96\x84",
                                                     "\xe2\x96\x85",
                                                     "\xe2\x96\x86",
                                                     "\xe2\x96\x87",
                                                     "\xe2\x96\x88"};
    double const high = std::log(best_s.front()), low = std::log(best_s.back());
    std::size_t const count = std::min(width, best_s.size());
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        double const s = best_s[i * (best_s.size() - 1) / std::max<std::size_t>(count - 1, 1)];
        double const share = high > low ? (std::log(s) - low) / (high - low) : 0;
        out += blocks[static_cast<std::size_t>(std::lround(7 * share))];
    }
    return out;
}

[[nodiscard]] inline std::string heading_of(problem_history const& past)
{
    std::string const inputs = text_of_pairs(past.problem.key.inputs);
    return past.problem.key.kernel + (inputs.empty() ? "" : " " + inputs);
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
    double const best_s = now.best_s.back();
    std::string out = "best " + text_of_quantity(best_s, true);
    if (best_s < now.first_s)
        out += formatted(" (%.2fx faster than the first)", now.first_s / best_s);
    return out;
}

/// Of a problem at which nobody works.
[[nodiscard]] inline std::string ended_text(problem_report const& of)
{
    if (!of.past.best)
        return counts_text(open_rows(of.past)) + (of.past.rows.empty() ? "" : ", no winner");
    record const& best = *of.past.best;
    std::string out = text_of_quantity(best.best_s, true);
    if (of.speedup) out = formatted("%.2fx faster than the default: ", of.speedup->value) + out;
    return out + (best.when.empty() ? "" : ", tuned " + best.when);
}

[[nodiscard]] inline bool is_open(problem_report const& of) noexcept
{
    return of.past.open < of.past.rows.size();
}

ATTUNE_INLINE std::vector<std::string> watch_lines(std::vector<problem_report> const& problems,
                                                   std::size_t columns)
{
    std::vector<std::string> out;
    auto const add = [&](std::string const& text) {
        out.push_back(shortened(shown_text(text), std::max<std::size_t>(columns, 20) - 1));
    };
    std::size_t shown = 0;
    for (auto one = problems.rbegin(); one != problems.rend() && shown < most_watched; ++one) {
        if (!is_open(*one)) continue;
        ++shown;
        open_tuning const now = open_rows(one->past);
        add(heading_of(one->past) + ": " + counts_text(now));
        if (now.best == nullptr) {
            add("  " + best_text(now));
            continue;
        }
        add("  " + best_text(now) + "  " +
            falling_line(now.best_s, std::max<std::size_t>(columns, 64) - 56));
        add("  " + configuration_text(one->past, now.best->values));
    }
    if (shown > 0) return out;
    if (problems.empty()) return {"nothing is kept yet"};
    add(heading_of(problems.back().past) + ": " + ended_text(problems.back()));
    return out;
}

/// The size of the file and when it changed: what differs when somebody wrote.
using file_mark = std::pair<std::uintmax_t, std::filesystem::file_time_type>;

/// Its size where there is no file: what file_size() says then.
inline constexpr auto no_file = static_cast<std::uintmax_t>(-1);

[[nodiscard]] inline file_mark mark_of(std::string const& path)
{
    std::error_code failed;
    std::uintmax_t const size = std::filesystem::file_size(path, failed);
    return {size, std::filesystem::last_write_time(path, failed)};
}

[[nodiscard]] inline std::vector<std::string> look_at(std::string const& path,
                                                      watch_settings const& with)
{
    store_content content = store_content::of_file(path);
    std::vector<listed_problem> const all = content.problems();
    std::vector<problem_report> latest; // what is at work was written to last
    for (auto one = all.rbegin(); one != all.rend() && latest.size() < most_watched; ++one)
        if (with.kernel.empty() || one->problem.key.kernel == with.kernel)
            latest.push_back(report_of(content.history(*one)));
    std::reverse(latest.begin(), latest.end());
    return watch_lines(latest, with.columns);
}

ATTUNE_INLINE void watch_store(std::string const& path, watch_settings const& with)
{
    std::vector<std::string> last;
    file_mark seen{no_file, {}};
    do {
        file_mark const now = mark_of(path);
        std::vector<std::string> lines = last;
        if (now.first == no_file)
            lines = {"waiting for " + shown_text(path)};
        else if (now != seen)
            lines = look_at(path, with);
        seen = now;
        if (lines != last) {
            std::string text;
            if (with.is_terminal && !last.empty())
                text = "\x1b[" + std::to_string(last.size()) + "A\x1b[J"; // up, and clear below
            for (std::string const& line : lines)
                text += line + '\n';
            with.write(text);
            last = std::move(lines);
        }
        if (!with.goes_on()) return;
        with.wait(0.5);
    } while (true);
}

} // namespace attune::inline ATTUNE_ABI::detail
