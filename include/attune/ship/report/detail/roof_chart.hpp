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
           best->best_s > 0 && std::isfinite(best->best_s) && best->default_s > 0 &&
           std::isfinite(best->default_s);
}

/// True where it has the work of a call and the limits of the machine as well.
[[nodiscard]] inline bool has_work(record const& best) noexcept
{
    roofline_facts const& r = best.roof;
    return r.flops > 0 && r.bytes > 0 && r.flops_per_s > 0 && r.bytes_per_s > 0 &&
           std::isfinite(r.flops / r.bytes) && std::isfinite(r.flops_per_s / r.bytes_per_s);
}

/// A stroke for each outcome; those at one place of a screen are one.
/// @param place  of a time, from left to right or from top to bottom
/// @param stroke  of a place
template <class Place, class Stroke>
[[nodiscard]] std::string strokes(problem_report const& of, Place const& place,
                                  Stroke const& stroke)
{
    std::string out;
    double last = -1;
    for (std::size_t const r : of.ranking) {
        double const at = place(usable_time(of.past.rows[r])->value);
        if (std::fabs(at - last) < 0.5 && of.ranking.size() > 1000) continue;
        last = at;
        out += stroke(at);
    }
    return out;
}

/// Where the store has the least time of a call alone: times beside it.
/// @pre  has_roof(of)
[[nodiscard]] inline std::string roof_strip(problem_report const& of, double width,
                                            std::string_view shape)
{
    record const& best = *of.past.best;
    double low_s = std::fmin(best.least_s, best.best_s);
    double high_s = std::fmax(best.default_s, best.best_s);
    if (!of.ranking.empty())
        high_s = std::fmax(high_s, usable_time(of.past.rows[of.ranking.back()])->value);
    double const left = 16, right = 16, top = 40, bottom = 104;
    drawing to(width, 136, shape, "Times beside the least time that the machine allows");
    log_axis const across = log_axis::over(low_s, high_s, left, width - right);
    double const roof = across.at(best.least_s);
    to.box(left, top, roof - left, bottom - top, "beyond");
    for (double const tick : across.ticks(width > 600 ? 9 : 5)) {
        to.line(across.at(tick), top, across.at(tick), bottom, "grid");
        to.text(across.at(tick), bottom + 16, "middle small", text_of_quantity(tick, true));
    }
    to.path(strokes(
                of, [&](double s) { return across.at(s); },
                [](double x) { return "M" + drawing::place(x, 60) + "v24"; }),
            of.ranking.size() > 1000 ? "strip fine" : "strip");
    to.line(roof, top - 6, roof, bottom, "roof");
    to.text(roof, 12, roof > width / 2 ? "end small" : "start small",
            best.memory_bound ? "least time: memory" : "least time: arithmetic");
    auto const mark = [&](double s, std::string_view style, std::string_view name) {
        double const x = across.at(s);
        to.line(x, top, x, bottom, style);
        to.text(x, 28,
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

/// "12.5 Gflop/s"
[[nodiscard]] inline std::string rate_text(double flops_per_s)
{
    if (flops_per_s >= 1e12) return formatted("%.3g Tflop/s", flops_per_s * 1e-12);
    if (flops_per_s >= 1e9) return formatted("%.3g Gflop/s", flops_per_s * 1e-9);
    return formatted("%.3g Mflop/s", flops_per_s * 1e-6);
}

/// The roof over work per byte and work per second, and the outcomes below it: all have the same
/// work, so they stand in one line.
/// @pre  has_roof(of) and has_work(*of.past.best)
[[nodiscard]] inline std::string roofline_chart(problem_report const& of, double width,
                                                std::string_view shape)
{
    record const& best = *of.past.best;
    roofline_facts const& r = best.roof;
    double const intensity = r.flops / r.bytes, ridge = r.flops_per_s / r.bytes_per_s;
    double slowest_s = std::fmax(best.default_s, best.best_s);
    if (!of.ranking.empty())
        slowest_s = std::fmax(slowest_s, usable_time(of.past.rows[of.ranking.back()])->value);
    double const left = 92, right = 16, top = 12, bottom = 250;
    drawing to(width, 292, shape, "The roofline of the machine, and the kernel below it");
    log_axis const across = log_axis::over(std::fmin(intensity, ridge) / 8,
                                           std::fmax(intensity, ridge) * 8, left, width - right);
    auto const roof_at = [&](double x) { return std::fmin(r.flops_per_s, x * r.bytes_per_s); };
    log_axis const up =
        log_axis::over(std::fmin(roof_at(across.low), r.flops / slowest_s),
                       std::fmax(r.flops_per_s, r.flops / best.best_s), bottom, top);
    for (double const tick : up.ticks(6)) {
        to.line(left, up.at(tick), width - right, up.at(tick), "grid");
        to.text(left - 8, up.at(tick) + 4, "end small", rate_text(tick));
    }
    for (double const tick : across.ticks(width > 600 ? 8 : 4))
        to.text(across.at(tick), bottom + 18, "middle small", formatted("%.3g", tick));
    to.text(left, bottom + 36, "small", "flop per byte");
    to.line(left, bottom, width - right, bottom, "axis");
    auto const point = [&](double x, double y) { return drawing::place(across.at(x), up.at(y)); };
    to.path("M" + point(across.low, roof_at(across.low)) + "L" + point(ridge, r.flops_per_s) + "L" +
                point(across.high, r.flops_per_s),
            "roof");
    double const x = across.at(intensity);
    to.path(strokes(
                of, [&](double s) { return up.at(r.flops / s); },
                [&](double y) { return "M" + drawing::place(x - 7, y) + "h14"; }),
            of.ranking.size() > 1000 ? "strip fine" : "strip");
    bool const is_right = x > width * 0.65;
    auto const mark = [&](double s, std::string_view style, std::string_view name) {
        double const y = up.at(r.flops / s);
        to.dot(x, y, 5, style);
        to.text(is_right ? x - 14 : x + 14, y + 4, is_right ? "end halo" : "halo",
                std::string(name) + ' ' + rate_text(r.flops / s) +
                    formatted(", %.0f %%", 100 * best.least_s / s));
    };
    mark(best.default_s, "dot own", "default");
    mark(best.best_s, "dot best", "winner");
    return std::move(to).end();
}

} // namespace attune::inline ATTUNE_ABI::detail
