// attune/ship/report/detail/convergence_chart.hpp - every outcome in its order, and the best so far.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/quantity_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/drawing.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Words short enough for a row of marks, indexed by failure_stage; `describe` has the long ones.
inline constexpr std::array<std::string_view, failure_stage_count> short_stages{
    "compile", "load", "launch", "crash", "timeout", "verify", "bound"};

/// Where a row stands from left to right.
struct row_places {
    double from = 0, step = 1;

    [[nodiscard]] double at(std::size_t row) const
    {
        return from + step * (static_cast<double>(row) + 0.5);
    }
};

/// Round numbers of outcomes: 1, 2, 5, 10, ... apart.
/// @param most  how many at most
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

/// Rows with a time that are drawn: all of them, or the fastest and the slowest of each column of a
/// screen.
[[nodiscard]] inline std::vector<std::size_t> drawn_rows(problem_report const& of,
                                                         row_places const& across)
{
    std::vector<std::size_t> out;
    std::vector<tried_row> const& rows = of.past.rows;
    bool const is_thin = across.step < 0.5;
    double column = -1;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        measurement const* const time = usable_time(rows[r]);
        if (time == nullptr) continue;
        double const now = std::floor(across.at(r));
        if (!is_thin || now != column) {
            // The fastest and the slowest; both are the first one.
            out.insert(out.end(), is_thin ? 2 : 1, r);
            column = now;
            continue;
        }
        std::size_t& fastest = out[out.size() - 2];
        if (time->value < usable_time(rows[fastest])->value) fastest = r;
        if (time->value > usable_time(rows[out.back()])->value) out.back() = r;
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
        dots += "M" + drawing::place(across.at(r), down.at(usable_time(rows[r])->value)) + "h0";
    to.path(dots, rows.size() > 1000 ? "dots fine" : "dots");
    std::string best;
    for (std::size_t const r : of.improvements) {
        if (!best.empty()) {
            best += "H";
            append_place(best, across.at(r));
            best += "V";
            append_place(best, down.at(usable_time(rows[r])->value));
        } else
            best = "M" + drawing::place(across.at(r), down.at(usable_time(rows[r])->value));
    }
    best += "H";
    append_place(best, across.at(rows.size() - 1));
    to.path(best, "step");
}

/// One line of marks for each kind of failure.
inline void add_failures(drawing& to, problem_report const& of, row_places const& across,
                         double left, double y)
{
    for (std::size_t s = 0; s < failure_stage_count; ++s) {
        if (of.failed[s] == 0) continue;
        std::string marks;
        double last = -1; // two marks of one column of a screen look like one
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

/// The default's time and the winner's are lines where a tuning has ended.
[[nodiscard]] inline std::string convergence_chart(problem_report const& of, double width,
                                                   std::string_view shape)
{
    std::vector<tried_row> const& rows = of.past.rows;
    if (rows.empty()) return {};
    auto const kinds = static_cast<double>(
        std::count_if(of.failed.begin(), of.failed.end(), [](std::size_t n) { return n > 0; }));
    double const left = 66, right = 14, top = 12, bottom = of.ranking.empty() ? 12 : 260;
    double const marks = bottom + 14, end = marks + 16 * kinds;
    drawing to(width, end + 40, shape,
               "Every outcome in the order in which it was found, and the best so far: " +
                   std::to_string(rows.size()) + " outcomes, " + std::to_string(of.ranking.size()) +
                   " with a time" +
                   (of.ranking.empty()
                        ? ""
                        : ", the best " +
                              of.objective.text(usable_time(rows[of.ranking.front()])->value) +
                              " at outcome " + std::to_string(of.improvements.back() + 1)));
    row_places const across{left, (width - left - right) / static_cast<double>(rows.size())};
    if (!of.ranking.empty()) {
        double low_s = usable_time(rows[of.ranking.front()])->value;
        double high_s = usable_time(rows[of.ranking.back()])->value;
        if (of.objective.is_higher_better) std::swap(low_s, high_s);
        record const* const best = of.past.best ? &*of.past.best : nullptr;
        bool const has_default =
            best != nullptr && best->default_s > 0 && std::isfinite(best->default_s);
        if (has_default) {
            low_s = std::fmin(low_s, best->default_s);
            high_s = std::fmax(high_s, best->default_s);
        }
        log_axis const down = log_axis::over(low_s, high_s, bottom, top);
        for (double const tick : down.ticks(7)) {
            to.line(left, down.at(tick), width - right, down.at(tick), "grid");
            to.text(left - 10, down.at(tick) + 4, "end small", of.objective.text(tick));
        }
        if (has_default) {
            double const y = down.at(best->default_s);
            to.line(left, y, width - right, y, "mark");
            to.text(width - right, y > top + 14 ? y - 5 : y + 13, "end small halo", "default");
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

} // namespace attune::inline ATTUNE_ABI::detail
