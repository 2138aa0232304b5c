// attune/ship/report/detail/course_charts.hpp - outcomes in order, and the score of the search's model.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/markup.hpp>
#include <attune/ship/report/detail/page_sentences.hpp>
#include <attune/ship/report/detail/value_charts.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Short words for a row of marks, by failure_stage; `describe` has the long ones.
inline constexpr std::array<std::string_view, failure_stage_count> short_stages{
    "compile", "load", "launch", "crash", "timeout", "verify", "bound"};

/// The place of a row from left to right.
struct row_places {
    double from = 0, step = 1;

    [[nodiscard]] double at(std::size_t row) const
    {
        return from + step * (static_cast<double>(row) + 0.5);
    }
};

/// Round numbers of outcomes at distances of 1, 2, 5, 10, ...
/// @param most  largest number of them
[[nodiscard]] inline std::vector<std::size_t> count_ticks(std::size_t count, std::size_t most)
{
    std::size_t step = 1;
    for (std::size_t i = 0; count / step > most; ++i)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    std::vector<std::size_t> out;
    for (std::size_t n = step; n <= count; n += step)
        out.push_back(n);
    return out;
}

/// Drawn rows with a time: all of them, or the fastest and the slowest of each screen column.
[[nodiscard]] inline std::vector<std::size_t> drawn_rows(problem_report const& of,
                                                         row_places const& across)
{
    std::vector<std::size_t> out;
    std::vector<tried_row> const& rows = of.past.rows;
    bool const is_thin = across.step < 0.5;
    double column = -1;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        measurement const* const time = usable_value(of.objective, rows[r]);
        if (time == nullptr) continue;
        double const now = std::floor(across.at(r));
        if (!is_thin || now != column) {
            // The fastest and the slowest row; both begin as the first one.
            out.insert(out.end(), is_thin ? 2 : 1, r);
            column = now;
            continue;
        }
        std::size_t& fastest = out[out.size() - 2];
        if (time->value < of.value(fastest)) fastest = r;
        if (time->value > of.value(out.back())) out.back() = r;
    }
    return out;
}

/// The plot of all times.  @pre  of.ranking is not empty
inline void add_times(drawing& to, problem_report const& of, row_places const& across,
                      log_axis const& down)
{
    std::vector<tried_row> const& rows = of.past.rows;
    std::string dots;
    for (std::size_t const r : drawn_rows(of, across))
        dots += "M" + drawing::place(across.at(r), down.at(of.value(r))) + "h0";
    to.path(dots, rows.size() > 1000 ? "dots fine" : "dots");
    std::string best;
    for (std::size_t const r : of.improvements) {
        if (!best.empty()) {
            best += "H";
            append_place(best, across.at(r));
            best += "V";
            append_place(best, down.at(of.value(r)));
        } else
            best = "M" + drawing::place(across.at(r), down.at(of.value(r)));
    }
    best += "H";
    append_place(best, across.at(rows.size() - 1));
    to.path(best, "step");
}

/// A line of marks for each kind of failure.
inline void add_failures(drawing& to, problem_report const& of, row_places const& across,
                         double left, double y)
{
    for (std::size_t s = 0; s < failure_stage_count; ++s) {
        if (of.failed[s] == 0) continue;
        std::string marks;
        double last = -1; // two marks of the same screen column look like one
        for (std::size_t r = 0; r < of.past.rows.size(); ++r)
            if (auto const* const why = std::get_if<failure>(&of.past.rows[r].result);
                why != nullptr && static_cast<std::size_t>(why->stage) == s &&
                across.at(r) - last >= 0.5) {
                last = across.at(r);
                marks += "M" + drawing::place(last, y) + "v9";
            }
        to.path(marks, "failed");
        to.text(left - 10, y + 8.5, "end small", short_stages[s]);
        y += 16;
    }
}

/// Each outcome, and the best so far. After a tuning, lines show the default and the user's own
/// code.
[[nodiscard]] inline std::string convergence_chart(problem_report const& of, double width,
                                                   std::string_view shape)
{
    std::vector<tried_row> const& rows = of.past.rows;
    if (rows.empty()) return {};
    auto const kinds = static_cast<double>(
        std::count_if(of.failed.begin(), of.failed.end(), [](std::size_t n) { return n > 0; }));
    double const left = 66, right = 24, top = 12, bottom = of.ranking.empty() ? 12 : 260;
    double const marks = bottom + 14, end = marks + 16 * kinds;
    drawing to(width, end + 40, shape,
               "Every outcome in the order in which it was found, and the best so far: " +
                   std::to_string(rows.size()) + " outcomes, " + std::to_string(of.ranking.size()) +
                   " with a " + of.objective.word() +
                   (of.ranking.empty()
                        ? ""
                        : ", the best " + of.objective.text(of.value(of.ranking.front())) +
                              " at outcome " + std::to_string(of.improvements.back() + 1)));
    row_places const across{left, (width - left - right) / static_cast<double>(rows.size())};
    if (!of.ranking.empty()) {
        double low_s = of.value(of.ranking.front());
        double high_s = of.value(of.ranking.back());
        if (of.objective.is_higher_better) std::swap(low_s, high_s);
        record const* const best = of.past.best ? &*of.past.best : nullptr;
        std::vector<std::pair<double, std::string_view>> others; // of a tuning that has ended
        if (best != nullptr && best->baseline_s > 0)
            others.emplace_back(best->baseline_s, "your own");
        if (best != nullptr && has_default(*best)) others.emplace_back(best->default_s, "default");
        std::erase_if(others, [](auto const& one) { return !std::isfinite(one.first); });
        for (auto const& [value, name] : others) {
            low_s = std::fmin(low_s, value);
            high_s = std::fmax(high_s, value);
        }
        log_axis const down = log_axis::over(low_s, high_s, bottom, top);
        for (double const tick : down.ticks(7)) {
            to.line(left, down.at(tick), width - right, down.at(tick), "grid");
            to.text(left - 10, down.at(tick) + 4, "end small", tick_text(of, tick));
        }
        for (auto const& [value, name] : others) {
            double const y = down.at(value);
            to.line(left, y, width - right, y, "mark");
            // The two names stand at different places, as their lines may be one.
            double const x = name == "default" ? width - right : width - right - 60;
            to.text(x, y > top + 14 ? y - 5 : y + 13, "end small halo", name);
        }
        add_times(to, of, across, down);
    }
    if (of.past.best && of.past.open > 0 && of.past.open < rows.size()) {
        double const x = across.at(of.past.open) - across.step / 2;
        to.line(x, top, x, end, "mark");
        to.text(x + 5, top + 10, "small halo", "open");
    }
    add_failures(to, of, across, left, marks);
    to.line(left, end + 6, width - right, end + 6, "axis");
    for (std::size_t const n : count_ticks(rows.size(), width > 600 ? 10 : 4))
        to.text(across.at(n - 1), end + 20, "middle small", std::to_string(n));
    to.text(left, end + 36, "small", "outcomes, oldest first");
    return std::move(to).end();
}

/// 1, 2 or 5 times a power of ten, of which `most` reach `high`.  @pre  high > 0 and finite
[[nodiscard]] inline double round_step(double high, double most)
{
    double step = std::pow(10, std::floor(std::log10(high / most)));
    for (double const factor : {2.0, 2.5, 2.0})
        if (step * most < high) step *= factor;
    return step;
}

/// The line of one figure over outcomes, for values from 0 to `high`, between two heights.
/// @param value  gives the figure of a step
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
    double const left = 66, right = 24, top = 24, middle = 124, second = 160, bottom = 240;
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
    to.text(0, top - 10, "small", "RMSE of log time, last 30 predictions");
    for (double tick = 0; tick <= high * 1.001; tick += step) {
        double const y = middle - tick / high * (middle - top);
        to.line(left, y, width - right, y, tick > 0 ? "grid" : "axis");
        to.text(left - 10, y + 4, "end small", formatted("%.3g", tick));
    }
    add_course(to, course, across, middle, top, high, [](model_step const& s) { return s.rmse; });
    to.text(0, second - 10, "small", "average peak score at 32, all predictions so far");
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

/// Some of the steps in figures, with the last one.
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
