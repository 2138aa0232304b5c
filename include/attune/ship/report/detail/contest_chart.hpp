// attune/ship/report/detail/contest_chart.hpp - the winner's time beside the default's and the ties'.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/quantity_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/drawing.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Ties that are drawn; the table has all.
inline constexpr std::size_t most_drawn_ties = 8;

[[nodiscard]] inline std::string_view word_of(contestant::part as) noexcept
{
    switch (as) {
    case contestant::part::winner:
        return "winner";
    case contestant::part::standard:
        return "default";
    case contestant::part::baseline:
        return "your own";
    case contestant::part::tie:
        return "tie";
    case contestant::part::fastest:
        return "fastest so far";
    }
    return "";
}

[[nodiscard]] inline std::string_view style_of(contestant::part as) noexcept
{
    switch (as) {
    case contestant::part::winner:
    case contestant::part::fastest:
        return "best";
    case contestant::part::standard:
    case contestant::part::baseline:
        return "own";
    case contestant::part::tie:
        return "tie";
    }
    return "";
}

/// Bars from 0, with the interval of 95 % on them.
[[nodiscard]] inline std::string contest_chart(problem_report const& of, double width,
                                               std::string_view shape)
{
    std::vector<contestant const*> shown;
    double longest_s = 0;
    for (contestant const& one : of.contestants) {
        if (!one.has_time || shown.size() == 3 + most_drawn_ties) continue;
        shown.push_back(&one);
        longest_s = std::fmax(longest_s, std::fmax(one.time.value, one.time.high));
    }
    if (shown.empty() || !(longest_s > 0) || !std::isfinite(longest_s)) return {};
    double const row = 30, left = 96, right = 84;
    double const scale = (width - left - right) / longest_s;
    drawing to(width, row * static_cast<double>(shown.size()) + 6, shape,
               "Times of the winner, the default, your own code and the ties, as bars");
    double y = 4;
    for (contestant const* const one : shown) {
        measurement const& t = one->time;
        to.text(left - 10, y + 17, "end label", word_of(one->as));
        to.box(left, y + 4, t.value * scale, row - 12,
               std::string("bar ") + std::string(style_of(one->as)));
        double end = t.value;
        if (has_interval(t)) {
            double const a = left + t.low * scale, b = left + t.high * scale,
                         middle = y + row / 2 - 2;
            to.path("M" + drawing::place(a, middle) + "L" + drawing::place(b, middle) + "M" +
                        drawing::place(a, middle - 4) + "v8M" + drawing::place(b, middle - 4) +
                        "v8",
                    "whisker");
            end = std::fmax(end, t.high);
        }
        to.text(left + end * scale + 8, y + 17, "value", of.objective.text(t.value));
        y += row;
    }
    to.line(left, 2, left, y, "axis");
    return std::move(to).end();
}

} // namespace attune::inline ATTUNE_ABI::detail
