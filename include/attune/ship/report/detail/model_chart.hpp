// attune/ship/report/detail/model_chart.hpp - the score of the search's model over the course of a tuning.
// SPDX-License-Identifier: MIT
// tested by ship/report/write_html.cpp
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/convergence_chart.hpp>
#include <attune/ship/report/detail/drawing.hpp>
#include <attune/ship/report/detail/page_sentences.hpp>
#include <attune/ship/report/model_course.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// 1, 2 or 5 times a power of ten, of which `most` reach `high`.  @pre  high > 0 and finite
[[nodiscard]] inline double round_step(double high, double most)
{
    double step = std::pow(10, std::floor(std::log10(high / most)));
    for (double const factor : {2.0, 2.5, 2.0})
        if (step * most < high) step *= factor;
    return step;
}

/// A line of one figure over outcomes, between two places from top to bottom; from 0 to `high`.
/// @param value  of a step
template <class Value>
void add_course(drawing& to, model_course const& of, row_places const& across, double bottom,
                double top, double high, Value const& value)
{
    std::string line;
    for (model_step const& step : of.steps)
        line += (line.empty() ? "M" : "L") +
                drawing::place(across.at(step.outcomes - 1),
                               bottom - std::fmin(value(step) / high, 1.0) * (bottom - top));
    if (of.steps.size() == 1) line += "h0";
    to.path(line, of.steps.size() == 1 ? "dots" : "step");
}

/// The error above, the peak score below.
/// @pre  of.course.steps is not empty
[[nodiscard]] inline std::string model_chart(problem_report const& of, double width,
                                             std::string_view shape)
{
    model_course const& course = of.course;
    double const left = 66, right = 14, top = 24, middle = 124, second = 160, bottom = 240;
    model_step const& end = course.steps.back();
    drawing to(width, bottom + 40, shape,
               "Error and average peak score of the model over " +
                   counted(of.past.rows.size(), "outcome", "outcomes") + ": at the end RMSE " +
                   formatted("%.2g", end.rmse) + " of log time, and " +
                   formatted("%.0f %%", 100 * end.peak));
    row_places const across{left,
                            (width - left - right) / static_cast<double>(of.past.rows.size())};
    double most = 0;
    for (model_step const& step : course.steps)
        most = std::fmax(most, step.rmse);
    double const step = most > 0 && std::isfinite(most) ? round_step(most, 3) : 1;
    double const high = step * std::fmax(1, std::ceil(most / step - 1e-9));
    to.text(left, top - 10, "small", "RMSE of log time, last 30 predictions");
    for (double tick = 0; tick <= high * 1.001; tick += step) {
        double const y = middle - tick / high * (middle - top);
        to.line(left, y, width - right, y, tick > 0 ? "grid" : "axis");
        to.text(left - 10, y + 4, "end small", formatted("%.3g", tick));
    }
    add_course(to, course, across, middle, top, high, [](model_step const& s) { return s.rmse; });
    to.text(left, second - 10, "small", "average peak score at 32, all predictions so far");
    for (int const tick : {0, 50, 100}) {
        double const y = bottom - tick / 100.0 * (bottom - second);
        to.line(left, y, width - right, y, tick > 0 ? "grid" : "axis");
        to.text(left - 10, y + 4, "end small", std::to_string(tick) + " %");
    }
    add_course(to, course, across, bottom, second, 1, [](model_step const& s) { return s.peak; });
    for (std::size_t const n : count_ticks(of.past.rows.size(), width > 600 ? 10 : 4))
        to.text(across.at(n - 1), bottom + 14, "middle small", std::to_string(n));
    to.text(left, bottom + 32, "small", "outcomes, oldest first");
    return std::move(to).end();
}

/// "The model expected a time of 61 of 100 outcomes, ..."
[[nodiscard]] inline std::string model_sentence(problem_report const& of)
{
    model_course const& course = of.course;
    std::string out = "The search's model chose " + std::to_string(course.predicted) + " of " +
                      counted(of.past.rows.size(), "outcome", "outcomes") +
                      " and expected a time of each";
    if (course.failed > 0) out += "; " + std::to_string(course.failed) + " of them failed";
    if (course.steps.empty()) return out + ". They are too few to judge it by.";
    model_step const& end = course.steps.back();
    std::size_t const last = std::min(error_window, course.predicted - course.failed);
    std::size_t const first = std::min(peak_count, course.predicted);
    return out + ". The error is the root mean square of the logarithm of the time: " +
           formatted("%.2g", end.rmse) + " over the last " + std::to_string(last) +
           formatted(" with a time, a factor of %.3g; ", std::exp(end.rmse)) +
           formatted("%.2g over all. ", course.rmse) +
           "Tried in the order of the expected times, the first " + std::to_string(first) +
           " reach " + data_html(end.peak, formatted("%.0f %%", 100 * end.peak)) +
           " of the speed of the fastest of all, on average over these tries (average peak score).";
}

/// Some of the steps in figures, the last one too.
[[nodiscard]] inline std::string model_table(model_course const& of)
{
    constexpr std::size_t most = 8;
    std::string out = "<details class=\"numbers\"><summary>in figures</summary>"
                      "<div class=\"scroll\"><table class=\"model\"><thead><tr>"
                      "<th scope=\"col\" class=\"n\">outcomes</th>"
                      "<th scope=\"col\" class=\"n\">predictions</th>"
                      "<th scope=\"col\" class=\"n\">RMSE of log time</th>"
                      "<th scope=\"col\" class=\"n\">average peak score</th></tr></thead>\n<tbody>";
    std::size_t const count = std::min(most, of.steps.size());
    for (std::size_t i = 1; i <= count; ++i) {
        model_step const& step = of.steps[of.steps.size() * i / count - 1];
        out += "\n<tr>" + cell("n", std::to_string(step.outcomes)) +
               cell("n", std::to_string(step.predicted)) + cell("n", formatted("%.3g", step.rmse)) +
               cell("n", formatted("%.1f %%", 100 * step.peak)) + "</tr>";
    }
    return out + "\n</tbody></table></div></details>\n";
}

} // namespace attune::inline ATTUNE_ABI::detail
