// attune/ship/report/detail/parallel_chart.hpp - configurations as lines through their values.
// SPDX-License-Identifier: MIT
// Source   Inselberg 1985, parallel coordinates
#pragma once

#include <attune/core/quantity_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/drawing.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Lines that are drawn: the fastest ones, and of the others every so many-th.
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

/// Axes stand side by side on wide screens, one below the other on narrow ones.
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
    /// Where axis `i` stands; the last one is that of the time.
    [[nodiscard]] double axis(std::size_t i) const
    {
        auto const gaps = static_cast<double>(of_->varied.size());
        double const share = static_cast<double>(i) / gaps;
        return is_narrow_ ? 26 + share * (height() - 62) : 46 + share * (width_ - 46 - 70);
    }
    [[nodiscard]] double low() const { return is_narrow_ ? 16 : height() - 16; }
    [[nodiscard]] double high() const { return is_narrow_ ? width_ - 16 : 38; }
    /// The room of one value on axis `i`.
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
    problem_report const* of_;
    bool is_narrow_;
    double width_;
};

/// Lines of one value are spread over its room by their rank, the faster ones on one side.
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
    out += axes.place(axes.axis(of.varied.size()), times.at(usable_time(of.past.rows[row])->value));
    return out;
}

/// All lines; the slow ones lie below.
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
        if (is_narrow_)
            to_->text(axes_->low(), at - 8, "label halo", name, 30);
        else
            to_->text(at, axis % 2 == 0 ? 14 : 28, "middle label", name, 14);
    }
    void place(std::size_t axis, double value, std::string_view words, std::string const& style)
    {
        double const at = axes_->axis(axis);
        if (is_narrow_)
            to_->text(value, at + 14, "middle small halo" + style, words, 9);
        else
            to_->text(at + 6, value + 4, "small halo" + style, words, 10);
    }
    /// Values of which one has a text, so that texts do not overlap.
    [[nodiscard]] std::size_t every(parameter_effect const& of) const
    {
        std::size_t most = 14;
        if (is_narrow_) {
            std::size_t longest = 1;
            for (level_effect const& l : of.levels)
                longest = std::max(longest, std::min<std::size_t>(l.value.size(), 9));
            most = 320 / (7 * longest + 8);
        }
        return (of.levels.size() + most - 1) / most;
    }

private:
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
    double const best = usable_time(of.past.rows[of.ranking.front()])->value;
    double const worst = usable_time(of.past.rows[of.ranking.back()])->value;
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
            // The winner's value has its text, at the cost of its neighbours'.
            bool const is_near = every > 1 && l != won && (l > won ? l - won : won - l) < every;
            if (l == won || (l % every == 0 && !is_near))
                labels.place(i, axes.value(i, l), effect.levels[l].value,
                             l == won ? " strong" : "");
        }
    }
    labels.head(of.varied.size(), of.objective.word());
    for (double const tick : times.ticks(is_narrow ? 4 : 7))
        labels.place(of.varied.size(), times.at(tick), of.objective.text(tick), "");
    return std::move(to).end();
}

} // namespace attune::inline ATTUNE_ABI::detail
