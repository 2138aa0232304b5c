// attune/ship/report/detail/value_charts.hpp - outcomes by the values of one parameter, and of all.
// SPDX-License-Identifier: MIT
// Source   Inselberg 1985, parallel coordinates
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/levels.hpp>
#include <attune/ship/report/detail/markup.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// "12 %"; "<1 %" for a small share above 0.
[[nodiscard]] inline std::string share_text(double share)
{
    if (share > 0 && share < 0.005) return "<1 %";
    if (share < 1 && share >= 0.995) return ">99 %";
    return formatted("%.0f %%", 100 * share);
}

/// Parameters with several values, sorted by the share that they explain.
[[nodiscard]] inline std::vector<std::size_t> by_share(problem_report const& of)
{
    std::vector<std::size_t> out = of.varied;
    std::sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
        double const x = of.parameters[a].share, y = of.parameters[b].share;
        return x != y ? x > y : a < b;
    });
    return out;
}

/// The common axis of all parameters: from the best time to the longest median, or to the time that
/// 99 of 100 outcomes reach if that is longer.
[[nodiscard]] inline log_axis effect_axis(problem_report const& of, double from, double to)
{
    if (of.ranking.empty()) return log_axis{1, 2, from, to};
    auto const time_at = [&](std::size_t rank) { return of.value(of.ranking[rank]); };
    double high_s = time_at(of.ranking.size() - 1 - of.ranking.size() / 100);
    for (parameter_effect const& p : of.parameters)
        for (level_effect const& l : p.levels)
            if (l.measured > 0 && p.levels.size() <= most_drawn_levels)
                high_s = of.objective.is_better(high_s, l.median_s) ? l.median_s : high_s;
    double const best = time_at(0);
    return log_axis::over(std::fmin(best, high_s), std::fmax(best, high_s), from, to);
}

/// A stroke for each time; times at the same place of a screen have one stroke.
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

/// A number beside an axis. The caption has the user's unit.
[[nodiscard]] inline std::string tick_text(problem_report const& of, double value)
{
    return of.objective.is_seconds ? of.objective.text(value) : formatted("%.4g", value);
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

/// A line for each value: its outcomes as strokes, the best as a dot, the median as a bar; their
/// number, and the share that failed. Long labels stand above their lines.
[[nodiscard]] inline std::string effect_chart(problem_report const& of, parameter_effect const& p,
                                              level_grouping const& lines)
{
    std::vector<level_group> const& groups = lines.groups;
    bool const are_above = std::any_of(groups.begin(), groups.end(), [](level_group const& one) {
        return one.label.size() > most_label_beside;
    });
    double const width = 340, left = are_above ? 8 : 98, right = 92, row = are_above ? 34 : 20;
    double const end = 6 + row * static_cast<double>(groups.size());
    drawing to(width, end + 20, "", effect_sentence(of, p, groups));
    log_axis const across = effect_axis(of, left, width - right);
    for (double const tick : across.ticks(3)) {
        to.line(across.at(tick), 4, across.at(tick), end, "grid");
        to.text(std::fmax(across.at(tick), text_width(tick_text(of, tick), small_px) / 2 + 2),
                end + 14, "middle small", tick_text(of, tick));
    }
    double best_s = of.objective.is_higher_better ? -HUGE_VAL : HUGE_VAL;
    for (level_group const& group : groups)
        if (!group.times.empty() && of.objective.is_better(group.times.front(), best_s))
            best_s = group.times.front();
    double y = 6;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        level_group const& group = groups[g];
        bool const is_best = !group.times.empty() && group.times.front() == best_s;
        double const middle = y + row - 10;
        to.text(are_above ? 0 : left - 8, y + 14,
                std::string(are_above ? "label" : "end label") +
                    (g == lines.winner ? " strong" : ""),
                group.label, most_label);
        if (!group.times.empty()) {
            bool const is_dense = group.times.size() > 200;
            to.path(time_strokes(group.times, across, middle), is_dense ? "tried fine" : "tried");
            double const median = across.at(group.median());
            to.line(median, middle - 7, median, middle + 7, "median");
            to.dot(across.at(group.times.front()), middle, 4, is_best ? "dot best" : "dot");
        }
        to.text(width - 52, middle + 4, "end small count", std::to_string(group.outcomes()));
        if (group.failed > 0)
            to.text(width, middle + 4, "end small lost",
                    share_text(group.lost()) + " \xe2\x9c\x95");
        y += row;
    }
    return std::move(to).end();
}

/// Number of drawn lines: the fastest ones, and a regular selection of the others.
inline constexpr std::size_t most_drawn_lines = 240;
inline constexpr std::size_t fastest_drawn = 60;

/// Positions in `ranking` that are drawn, ascending.
[[nodiscard]] inline std::vector<std::size_t> drawn_ranks(std::size_t count)
{
    std::vector<std::size_t> out;
    if (count <= most_drawn_lines) {
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(i);
        return out;
    }
    for (std::size_t i = 0; i < fastest_drawn; ++i)
        out.push_back(i);
    std::size_t const others = most_drawn_lines - fastest_drawn;
    for (std::size_t i = 0; i < others; ++i)
        out.push_back(fastest_drawn + i * (count - 1 - fastest_drawn) / (others - 1));
    return out;
}

/// Axes are side by side on wide screens, one below the other on narrow ones.
class parallel_axes {
public:
    parallel_axes(problem_report const& of, double width, bool is_narrow)
        : of_(&of)
        , is_narrow_(is_narrow)
        , width_(width)
    {
    }

    [[nodiscard]] double height() const
    {
        auto const axes = static_cast<double>(of_->varied.size() + 1);
        return is_narrow_ ? 62 * axes + 8 : 340;
    }
    /// The place of axis `i`; the last one is that of the time.
    [[nodiscard]] double axis(std::size_t i) const
    {
        auto const gaps = static_cast<double>(of_->varied.size());
        double const share = static_cast<double>(i) / gaps;
        return is_narrow_ ? 26 + share * (height() - 62) : first + share * (width_ - first - last);
    }
    /// From one axis to the next on wide screens.
    [[nodiscard]] double gap() const
    {
        return (width_ - first - last) / static_cast<double>(of_->varied.size());
    }
    [[nodiscard]] double width() const noexcept { return width_; }
    [[nodiscard]] double low() const { return is_narrow_ ? 16 : height() - 16; }
    [[nodiscard]] double high() const { return is_narrow_ ? width_ - 16 : 38; }
    /// The space of a value on axis `i`.
    [[nodiscard]] double room(std::size_t i) const
    {
        return (high() - low()) /
               static_cast<double>(of_->parameters[of_->varied[i]].levels.size());
    }
    [[nodiscard]] double value(std::size_t i, std::size_t level) const
    {
        return low() + room(i) * (static_cast<double>(level) + 0.5);
    }
    [[nodiscard]] std::string place(double axis, double value) const
    {
        return is_narrow_ ? drawing::place(value, axis) : drawing::place(axis, value);
    }

private:
    static constexpr double first = 60, last = 84; ///< room at both ends
    problem_report const* of_;
    bool is_narrow_;
    double width_;
};

/// Spreads the lines of a value over its space by their rank, the faster ones on one side.
[[nodiscard]] inline std::string line_of(problem_report const& of, parallel_axes const& axes,
                                         log_axis const& times, std::size_t rank)
{
    std::size_t const row = of.ranking[rank];
    double const spread =
        0.5 * (static_cast<double>(rank) + 0.5) / static_cast<double>(of.ranking.size()) - 0.25;
    std::string out;
    for (std::size_t i = 0; i < of.varied.size(); ++i) {
        out += i == 0 ? 'M' : 'L';
        std::uint32_t const level = of.levels[row][of.varied[i]];
        out += axes.place(axes.axis(i), axes.value(i, level) + spread * axes.room(i));
    }
    out += 'L';
    out += axes.place(axes.axis(of.varied.size()), times.at(of.value(row)));
    return out;
}

/// Adds all lines; the slow ones are below.
inline void add_lines(drawing& to, problem_report const& of, parallel_axes const& axes,
                      log_axis const& times)
{
    constexpr std::array<double, 4> ends{0.1, 0.3, 0.5, 1}; // shares of all
    constexpr std::array<std::string_view, 4> styles{"line q0", "line q1", "line q2", "line q3"};
    std::array<std::string, 4> lines;
    for (std::size_t const rank : drawn_ranks(of.ranking.size())) {
        double const share = static_cast<double>(rank) / static_cast<double>(of.ranking.size());
        auto const* const group =
            std::find_if(ends.begin(), ends.end(), [&](double end) { return share < end; });
        lines[static_cast<std::size_t>(group - ends.begin())] += line_of(of, axes, times, rank);
    }
    for (std::size_t i = lines.size(); i-- > 0;)
        if (!lines[i].empty()) to.path(lines[i], styles[i]);
    auto const won = std::find(of.ranking.begin(), of.ranking.end(), *of.winner_row);
    to.path(line_of(of, axes, times, static_cast<std::size_t>(won - of.ranking.begin())),
            "line first");
}

/// The line of an axis, its name and the texts of its places.
class axis_labels {
public:
    axis_labels(drawing& to, parallel_axes const& axes, bool is_narrow)
        : to_(&to)
        , axes_(&axes)
        , is_narrow_(is_narrow)
    {
    }

    void head(std::size_t axis, std::string const& name)
    {
        double const at = axes_->axis(axis);
        to_->path("M" + axes_->place(at, axes_->low()) + "L" + axes_->place(at, axes_->high()),
                  "axis");
        if (is_narrow_) {
            std::size_t const most = most_characters(axes_->width() - axes_->low(), label_px);
            to_->text(axes_->low(), at - 8, "label halo", name, most);
            return;
        }
        // Names stand in two lines by turns, each in the middle of the room of two axes.
        std::size_t const most =
            most_characters(std::fmax(2 * axes_->gap(), 2 * axes_->axis(0)), label_px);
        double const half = text_width(shortened(name, most), label_px) / 2;
        to_->text(std::clamp(at, half, std::fmax(half, axes_->width() - half)),
                  axis % 2 == 0 ? 14 : 28, "middle label", name, most);
    }
    void place(std::size_t axis, double value, std::string_view words, std::string const& style)
    {
        double const at = axes_->axis(axis);
        if (is_narrow_) {
            double const half = text_width(shortened(words, most_narrow), small_px) / 2;
            to_->text(std::clamp(value, half, axes_->width() - half), at + 14,
                      "middle small halo" + style, words, most_narrow);
            return;
        }
        double const room = std::fmin(axes_->gap() - 12, axes_->width() - at - 8);
        bool const is_last = axes_->width() - at < axes_->gap();
        to_->text(at + 6, value + 4, "small halo" + style, words,
                  most_characters(is_last ? axes_->width() - at - 8 : room, small_px));
    }
    /// Distance between values with a text, so that texts do not overlap.
    [[nodiscard]] std::size_t every(parameter_effect const& of) const
    {
        std::size_t most = 14;
        if (is_narrow_) {
            double longest = 0;
            for (level_effect const& l : of.levels)
                longest = std::fmax(longest, text_width(shortened(l.value, most_narrow), small_px));
            most = std::max<std::size_t>(1, static_cast<std::size_t>(328 / (longest + 8)));
        }
        return (of.levels.size() + most - 1) / most;
    }

private:
    /// Characters of a value on a narrow screen: the table below each parameter has all of it.
    static constexpr std::size_t most_narrow = 20;
    drawing* to_;
    parallel_axes const* axes_;
    bool is_narrow_;
};

/// @pre  of.ranking and of.varied are not empty
[[nodiscard]] inline std::string parallel_chart(problem_report const& of, double width,
                                                std::string_view shape)
{
    bool const is_narrow = shape == "narrow";
    parallel_axes const axes(of, width, is_narrow);
    double const best = of.value(of.ranking.front());
    double const worst = of.value(of.ranking.back());
    log_axis const times =
        log_axis::over(std::fmin(best, worst), std::fmax(best, worst), axes.low(), axes.high());
    drawing to(width, axes.height(), shape,
               "Configurations as lines through the values of their parameters to their " +
                   of.objective.word() + ", from " + of.objective.text(best) + " to " +
                   of.objective.text(worst));
    add_lines(to, of, axes, times);
    axis_labels labels(to, axes, is_narrow);
    for (std::size_t i = 0; i < of.varied.size(); ++i) {
        parameter_effect const& effect = of.parameters[of.varied[i]];
        labels.head(i, effect.name);
        std::size_t const every = labels.every(effect);
        std::uint32_t const won = of.levels[*of.winner_row][of.varied[i]];
        for (std::size_t l = 0; l < effect.levels.size(); ++l) {
            // The winner's value has its text; its neighbours have none.
            bool const is_near = every > 1 && l != won && (l > won ? l - won : won - l) < every;
            if (l == won || (l % every == 0 && !is_near))
                labels.place(i, axes.value(i, l), effect.levels[l].value,
                             l == won ? " strong" : "");
        }
    }
    labels.head(of.varied.size(), of.objective.word());
    for (double const tick : times.ticks(is_narrow ? 4 : 7))
        labels.place(of.varied.size(), times.at(tick), tick_text(of, tick), "");
    return std::move(to).end();
}

} // namespace attune::inline ATTUNE_ABI::detail
