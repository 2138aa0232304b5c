// attune/ship/report/detail/spent_chart.hpp - where the seconds of a tuning went.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/report/detail/drawing.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <array>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// A bar of three parts: to run, to compile, to search.
[[nodiscard]] inline std::string spent_chart(reported_seconds const& of, double width,
                                             std::string_view shape)
{
    drawing to(width, 24, shape, "Seconds of running, of compiling and of searching, as one bar");
    constexpr std::array<std::string_view, 3> styles{"part0", "part1", "part2"};
    double const sum = of.run_s + of.code_s + of.search_s;
    double x = 0;
    std::size_t i = 0;
    for (double const s : {of.run_s, of.code_s, of.search_s}) {
        double const part = sum > 0 ? s / sum * width : 0;
        to.box(x, 2, part, 20, styles[i++]);
        x += part;
    }
    return std::move(to).end();
}

} // namespace attune::inline ATTUNE_ABI::detail
