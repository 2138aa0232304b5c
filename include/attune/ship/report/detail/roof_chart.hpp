// attune/ship/report/detail/roof_chart.hpp - how near the least possible time the outcomes came.
// SPDX-License-Identifier: MIT
// Source   Williams, Waterman & Patterson 2009 (the roofline model)
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/quantity_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/drawing.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <cmath>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// True where the store has the least time of a call.
[[nodiscard]] inline bool has_roof(problem_report const& of) noexcept
{
    record const* const best = of.past.best ? &*of.past.best : nullptr;
    return best != nullptr && best->least_s > 0 && std::isfinite(best->least_s) &&
           best->best_s > 0 && best->default_s > 0 && std::isfinite(best->default_s);
}

/// A roofline of one kernel: the store has the least time of its work, not the work itself.
/// @pre  has_roof(of)
[[nodiscard]] inline std::string
roof_chart(problem_report const& of, double width, std::string_view shape)
{
    record const& best = *of.past.best;
    double low_s = std::fmin(best.least_s, best.best_s);
    double high_s = std::fmax(best.default_s, best.best_s);
    if (!of.ranking.empty())
        high_s = std::fmax(high_s, usable_time(of.past.rows[of.ranking.back()])->value);
    double const left = 16, right = 16, top = 40, bottom = 104;
    drawing to(width, 136, shape, "Times beside the least time that the machine allows");
    time_axis const across = time_axis::over(low_s, high_s, left, width - right);
    double const roof = across.at(best.least_s);
    to.box(left, top, roof - left, bottom - top, "beyond");
    for (double const tick : across.ticks(width > 600 ? 9 : 5)) {
        to.line(across.at(tick), top, across.at(tick), bottom, "grid");
        to.text(across.at(tick), bottom + 16, "middle small", text_of_quantity(tick, true));
    }
    std::string dots;
    for (std::size_t const r : of.ranking)
        dots += "M" + drawing::place(across.at(usable_time(of.past.rows[r])->value), 60) + "v24";
    to.path(dots, of.ranking.size() > 1000 ? "strip fine" : "strip");
    to.line(roof, top - 6, roof, bottom, "roof");
    to.text(roof,
            12,
            roof > width / 2 ? "end small" : "start small",
            best.memory_bound ? "least time: memory" : "least time: arithmetic");
    auto const mark = [&](double s, std::string_view style, std::string_view name) {
        double const x = across.at(s);
        to.line(x, top, x, bottom, style);
        to.text(x,
                28,
                x > width * 0.8   ? "end small"
                : x < width * 0.2 ? "start small"
                                  : "middle small",
                std::string(name) + formatted(" %.0f %%", 100 * best.least_s / s));
    };
    mark(best.default_s, "mark", "default");
    mark(best.best_s, "found", "winner");
    to.line(left, bottom, width - right, bottom, "axis");
    return std::move(to).end();
}

} // namespace attune::inline ATTUNE_ABI::detail
