// attune/ship/report/detail/effect_chart.hpp - what each value of a parameter led to.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/quantity_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/drawing.hpp>
#include <attune/ship/report/detail/level_groups.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// "12 %"; "<1 %" where some failed, and nearly none.
[[nodiscard]] inline std::string share_text(double share)
{
    if (share > 0 && share < 0.005) return "<1 %";
    if (share < 1 && share >= 0.995) return ">99 %";
    return formatted("%.0f %%", 100 * share);
}

/// Parameters with several values, the one that explains most first.
[[nodiscard]] inline std::vector<std::size_t> by_share(problem_report const& of)
{
    std::vector<std::size_t> out = of.varied;
    std::sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
        double const x = of.parameters[a].share, y = of.parameters[b].share;
        return x != y ? x > y : a < b;
    });
    return out;
}

/// From the best time to the longest median, and beyond it to the time that 99 of 100 outcomes
/// reach: an axis that all parameters share.
[[nodiscard]] inline log_axis effect_axis(problem_report const& of, double from, double to)
{
    if (of.ranking.empty()) return log_axis{1, 2, from, to};
    auto const time_at = [&](std::size_t rank) {
        return usable_time(of.past.rows[of.ranking[rank]])->value;
    };
    double high_s = time_at(of.ranking.size() - 1 - of.ranking.size() / 100);
    for (parameter_effect const& p : of.parameters)
        for (level_effect const& l : p.levels)
            if (l.measured > 0 && p.levels.size() <= most_drawn_levels)
                high_s = of.objective.is_better(high_s, l.median_s) ? l.median_s : high_s;
    double const best = time_at(0);
    return log_axis::over(std::fmin(best, high_s), std::fmax(best, high_s), from, to);
}

/// A stroke for each time; those at one place of a screen are one.
/// @param times  ascending or descending
[[nodiscard]] inline std::string time_strokes(std::vector<double> const& times,
                                              log_axis const& across, double y)
{
    std::string out;
    long long last = 0;
    for (double const s : times) {
        auto const at = std::llround(across.at(s));
        if (out.empty()) {
            out = "M" + drawing::place(static_cast<double>(at), y - 4) + "v8";
        } else if (at != last)
            out += "m" + std::to_string(at - last) + "-8v8";
        last = at;
    }
    return out;
}

/// "Outcomes for each value of TILE; the best, 2.07 ms, has 64. 7 of 60 outcomes failed."
[[nodiscard]] inline std::string effect_sentence(problem_report const& of,
                                                 parameter_effect const& p,
                                                 std::vector<level_group> const& groups)
{
    level_group const* best = nullptr;
    std::size_t failed = 0, all = 0;
    for (level_group const& group : groups) {
        all += group.outcomes();
        failed += group.failed;
        if (!group.times.empty() &&
            (best == nullptr || of.objective.is_better(group.times.front(), best->times.front())))
            best = &group;
    }
    std::string out = "Outcomes for each value of " + p.name;
    if (best != nullptr)
        out += "; the best, " + of.objective.text(best->times.front()) + ", has " + best->text;
    return out + ". " + std::to_string(failed) + " of " + std::to_string(all) + " outcomes failed.";
}

/// A line for each value: its outcomes as strokes, the best as a dot, the median as a bar; how many
/// they are, and the share that failed.
[[nodiscard]] inline std::string effect_chart(problem_report const& of, parameter_effect const& p,
                                              std::vector<level_group> const& groups)
{
    double const width = 340, left = 98, right = 92, row = 20;
    double const end = 6 + row * static_cast<double>(groups.size());
    drawing to(width, end + 20, "", effect_sentence(of, p, groups));
    log_axis const across = effect_axis(of, left, width - right);
    for (double const tick : across.ticks(3)) {
        to.line(across.at(tick), 4, across.at(tick), end, "grid");
        to.text(across.at(tick), end + 14, "middle small", of.objective.text(tick));
    }
    double best_s = of.objective.is_higher_better ? 0 : HUGE_VAL;
    for (level_group const& group : groups)
        if (!group.times.empty() && of.objective.is_better(group.times.front(), best_s))
            best_s = group.times.front();
    double y = 6;
    for (level_group const& group : groups) {
        bool const is_best = !group.times.empty() && group.times.front() == best_s;
        double const middle = y + row / 2;
        to.text(left - 8, y + 14, is_best ? "end label strong" : "end label", group.label,
                most_label);
        if (!group.times.empty()) {
            bool const is_dense = group.times.size() > 200;
            to.path(time_strokes(group.times, across, middle), is_dense ? "tried fine" : "tried");
            double const median = across.at(group.median());
            to.line(median, middle - 7, median, middle + 7, "median");
            to.dot(across.at(group.times.front()), middle, 4, is_best ? "dot best" : "dot");
        }
        to.text(width - 52, y + 14, "end small count", std::to_string(group.outcomes()));
        if (group.failed > 0)
            to.text(width, y + 14, "end small lost", share_text(group.lost()) + " \xe2\x9c\x95");
        y += row;
    }
    return std::move(to).end();
}

} // namespace attune::inline ATTUNE_ABI::detail
