// attune/ship/report/detail/time_charts.hpp - the times of a problem: winner, default, least possible, spent.
// SPDX-License-Identifier: MIT
// Source   Williams, Waterman & Patterson 2009 (the roofline model)
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/markup.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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

/// Number of drawn ties; the table has all.
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
        return "best so far";
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

/// Bars from 0 to both sides, with the interval of 95 % on them.
[[nodiscard]] inline std::string contest_chart(problem_report const& of, double width,
                                               std::string_view shape)
{
    constexpr std::size_t most_text = 22;
    std::vector<contestant const*> shown;
    double low = 0, high = 0, left = 96, right = 84;
    for (contestant const& one : of.contestants) {
        if (!one.has_time || shown.size() == 3 + most_drawn_ties) continue;
        shown.push_back(&one);
        low = std::fmin(low, std::fmin(one.time.value, one.time.low));
        high = std::fmax(high, std::fmax(one.time.value, one.time.high));
        left = std::fmax(left, 12 + text_width(word_of(one.as), label_px));
        std::string const words = shortened(of.objective.text(one.time.value), most_text);
        right = std::fmax(right, 12 + text_width(words, bold_px));
    }
    if (shown.empty() || !(high > low) || !std::isfinite(high - low)) return {};
    double const row = 30;
    double const scale = (width - left - right) / (high - low), zero = left - low * scale;
    drawing to(width, row * static_cast<double>(shown.size()) + 6, shape,
               "The winner, your own code, the default and the ties, as bars");
    double y = 4;
    for (contestant const* const one : shown) {
        measurement const& t = one->time;
        to.text(left - 10, y + 17, "end label", word_of(one->as));
        to.box(zero + std::fmin(t.value, 0) * scale, y + 4, std::fabs(t.value) * scale, row - 12,
               std::string("bar ") + std::string(style_of(one->as)));
        double end = std::fmax(t.value, 0);
        if (has_interval(t)) {
            double const a = zero + t.low * scale, b = zero + t.high * scale,
                         middle = y + row / 2 - 2;
            to.path("M" + drawing::place(a, middle) + "L" + drawing::place(b, middle) + "M" +
                        drawing::place(a, middle - 4) + "v8M" + drawing::place(b, middle - 4) +
                        "v8",
                    "whisker");
            end = std::fmax(end, t.high);
        }
        bool const is_first = one == shown.front();
        to.text(zero + end * scale + 8, y + 17, is_first ? "value strong" : "value",
                of.objective.text(t.value), most_text);
        y += row;
    }
    to.line(zero, 2, zero, y, "axis");
    return std::move(to).end();
}

/// Returns true if the store has the least time of a call, and the winner's number is a time.
[[nodiscard]] inline bool has_roof(problem_report const& of) noexcept
{
    record const* const best = of.past.best ? &*of.past.best : nullptr;
    return best != nullptr && of.objective.is_seconds && best->least_s > 0 &&
           std::isfinite(best->least_s) && best->best_s > 0 && std::isfinite(best->best_s) &&
           best->default_s > 0 && std::isfinite(best->default_s);
}

/// Returns true if it also has the work of a call and the limits of the machine.
[[nodiscard]] inline bool has_work(record const& best) noexcept
{
    roofline_facts const& r = best.roof;
    return r.flops > 0 && r.bytes > 0 && r.flops_per_s > 0 && r.bytes_per_s > 0 &&
           std::isfinite(r.flops / r.bytes) && std::isfinite(r.flops_per_s / r.bytes_per_s);
}

/// A stroke for each outcome; outcomes at the same place of a screen have one stroke.
/// @param place  place of a time, from left to right or from top to bottom
/// @param stroke  stroke of a place
template <class Place, class Stroke>
[[nodiscard]] std::string strokes(problem_report const& of, Place const& place,
                                  Stroke const& stroke)
{
    std::string out;
    double last = -1;
    for (std::size_t const r : of.ranking) {
        double const at = place(of.value(r));
        if (std::fabs(at - last) < 0.5 && of.ranking.size() > 1000) continue;
        last = at;
        out += stroke(at);
    }
    return out;
}

/// If the store has only the least time of a call: times beside it.
/// @pre  has_roof(of)
[[nodiscard]] inline std::string roof_strip(problem_report const& of, double width,
                                            std::string_view shape)
{
    record const& best = *of.past.best;
    double low_s = std::fmin(best.least_s, best.best_s);
    double high_s = std::fmax(best.default_s, best.best_s);
    if (!of.ranking.empty()) high_s = std::fmax(high_s, of.value(of.ranking.back()));
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

/// The roof over work per byte and work per second, and the outcomes below it. All have the same
/// work, so they are in one line.
/// @pre  has_roof(of) and has_work(*of.past.best)
[[nodiscard]] inline std::string roofline_chart(problem_report const& of, double width,
                                                std::string_view shape)
{
    record const& best = *of.past.best;
    roofline_facts const& r = best.roof;
    double const intensity = r.flops / r.bytes, ridge = r.flops_per_s / r.bytes_per_s;
    double slowest_s = std::fmax(best.default_s, best.best_s);
    if (!of.ranking.empty()) slowest_s = std::fmax(slowest_s, of.value(of.ranking.back()));
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
        to.text(left - 4, up.at(tick) + 4, "end small", rate_text(tick));
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
    auto const mark = [&](double s, std::string_view style, std::string_view name) {
        double const y = up.at(r.flops / s);
        to.dot(x, y, 5, style);
        std::string const words = std::string(name) + ' ' + rate_text(r.flops / s) +
                                  formatted(", %.0f %%", 100 * best.least_s / s);
        double const room = 14 + text_width(words, label_px);
        if (x + room <= width)
            to.text(x + 14, y + 4, "halo", words);
        else if (x >= room)
            to.text(x - 14, y + 4, "end halo", words);
        else // no room on either side
            to.text(width, y - 10, "end halo", words);
    };
    mark(best.default_s, "dot own", "default");
    mark(best.best_s, "dot best", "winner");
    return std::move(to).end();
}

} // namespace attune::inline ATTUNE_ABI::detail
