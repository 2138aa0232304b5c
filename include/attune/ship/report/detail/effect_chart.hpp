// attune/ship/report/detail/effect_chart.hpp - what each value of a parameter led to.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/quantity_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/drawing.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Values that are drawn of one parameter, the fastest ones.
inline constexpr std::size_t most_drawn_levels = 16;

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

/// Indices of values in their order: all, or the fastest ones where there are too many.
[[nodiscard]] inline std::vector<std::size_t> drawn_levels(parameter_effect const& of,
                                                           std::size_t most)
{
    std::vector<std::size_t> out(of.levels.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    if (out.size() <= most) return out;
    auto const best = [&](std::size_t l) {
        return of.levels[l].measured > 0 ? of.levels[l].best_s : HUGE_VAL;
    };
    std::sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
        return best(a) != best(b) ? best(a) < best(b) : a < b;
    });
    out.resize(most);
    std::sort(out.begin(), out.end());
    return out;
}

/// From the best time of any value to the longest median: an axis that all parameters share.
[[nodiscard]] inline log_axis effect_axis(problem_report const& of, double from, double to)
{
    double low_s = HUGE_VAL, high_s = 0;
    for (parameter_effect const& p : of.parameters)
        for (level_effect const& l : p.levels)
            if (l.measured > 0) {
                low_s = std::fmin(low_s, l.best_s);
                high_s = std::fmax(high_s, l.median_s);
            }
    return high_s > 0 ? log_axis::over(low_s, high_s, from, to) : log_axis{1, 2, from, to};
}

/// A line for each value: its best time as a dot, its median as a bar, the outcomes behind them.
[[nodiscard]] inline std::string effect_chart(problem_report const& of, parameter_effect const& p)
{
    double const width = 340, left = 92, right = 70, row = 20;
    std::vector<std::size_t> const shown = drawn_levels(p, most_drawn_levels);
    double const end = 6 + row * static_cast<double>(shown.size());
    drawing to(width, end + 20, "", "Best and median time for each value of " + p.name);
    log_axis const across = effect_axis(of, left, width - right);
    std::vector<double> ticks = across.ticks(3);
    for (double const tick : ticks) {
        to.line(across.at(tick), 4, across.at(tick), end, "grid");
        to.text(across.at(tick), end + 14, "middle small", text_of_quantity(tick, true));
    }
    double best_s = HUGE_VAL;
    for (level_effect const& l : p.levels)
        if (l.measured > 0) best_s = std::fmin(best_s, l.best_s);
    double y = 6;
    for (std::size_t const i : shown) {
        level_effect const& l = p.levels[i];
        bool const is_best = l.measured > 0 && l.best_s == best_s;
        to.text(left - 8, y + 14, is_best ? "end label strong" : "end label", l.value, 12);
        if (l.measured > 0) {
            double const a = across.at(l.best_s), b = across.at(l.median_s), middle = y + row / 2;
            to.line(a, middle, b, middle, "range");
            to.line(b, middle - 5, b, middle + 5, "median");
            to.dot(a, middle, 4, is_best ? "dot best" : "dot");
        }
        to.text(width - right + 8,
                y + 14,
                "small",
                std::to_string(l.measured) +
                    (l.failed > 0 ? " + " + std::to_string(l.failed) + "\xe2\x9c\x95" : ""));
        y += row;
    }
    return std::move(to).end();
}

} // namespace attune::inline ATTUNE_ABI::detail
