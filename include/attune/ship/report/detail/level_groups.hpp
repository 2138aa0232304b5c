// attune/ship/report/detail/level_groups.hpp - the values of a parameter as the few lines that a page has for them.
// SPDX-License-Identifier: MIT
// tested by ship/report/write_html.cpp
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Lines that a parameter has at most.
inline constexpr std::size_t most_drawn_levels = 16;
/// Ranges into which numbers are put where there are more values than lines.
inline constexpr std::size_t level_ranges = 12;

/// Characters of a label that a chart has room for.
inline constexpr std::size_t most_label = 13;

/// One value, a range of numbers, or all values that have no line of their own.
struct level_group {
    std::string text{};
    std::string label{};         ///< the same, short
    std::size_t levels = 0;      ///< values in it
    std::vector<double> times{}; ///< of all outcomes with a time, the best first
    std::size_t failed = 0;

    [[nodiscard]] std::size_t outcomes() const noexcept { return times.size() + failed; }
    /// Share of the outcomes that failed.  @pre  outcomes() > 0
    [[nodiscard]] double lost() const noexcept
    {
        return static_cast<double>(failed) / static_cast<double>(outcomes());
    }
    /// @pre  there is a time
    [[nodiscard]] double median() const
    {
        std::size_t const n = times.size();
        return n % 2 == 1 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
    }
};

/// Indices of values in their order: all, or the best ones where there are too many.
[[nodiscard]] inline std::vector<std::size_t>
drawn_levels(problem_objective const& by, parameter_effect const& of, std::size_t most)
{
    std::vector<std::size_t> out(of.levels.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    if (out.size() <= most) return out;
    auto const best = [&](std::size_t l) {
        return of.levels[l].measured > 0 ? of.levels[l].best_s
               : by.is_higher_better     ? 0.0
                                         : HUGE_VAL;
    };
    std::sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
        return best(a) != best(b) ? by.is_better(best(a), best(b)) : a < b;
    });
    out.resize(most);
    std::sort(out.begin(), out.end());
    return out;
}

struct level_grouping {
    std::vector<level_group> groups{};
    std::string said{}; ///< how values became lines; empty: each has its own
};

/// A number of at most six characters; else the nearest whole one, or three digits of it.
[[nodiscard]] inline std::string short_number(std::string const& text)
{
    std::optional<double> const number = number_of(text);
    if (text.size() <= 6 || !number) return text;
    double const size = std::fabs(*number);
    return formatted(size >= 100 && size < 999'999 ? "%.0f" : "%.3g", *number);
}

/// Numbers in ranges with about as many outcomes each; the inactive level apart.
/// @param place  takes the group of each level
[[nodiscard]] inline level_grouping ranges_of(parameter_effect const& p,
                                              std::vector<std::size_t>& place)
{
    level_grouping out;
    bool const has_inactive = p.levels.back().value == inactive_text;
    std::size_t const numbers = p.levels.size() - (has_inactive ? 1 : 0);
    auto const outcomes = [&](std::size_t l) { return p.levels[l].measured + p.levels[l].failed; };
    std::size_t all = 0, seen = 0, first = 0;
    for (std::size_t l = 0; l < numbers; ++l)
        all += outcomes(l);
    for (std::size_t l = 0; l < numbers; ++l) {
        place[l] = out.groups.size();
        seen += outcomes(l);
        bool const is_full = seen * level_ranges >= all * (out.groups.size() + 1);
        if (!is_full && l + 1 < numbers) continue;
        std::string const& low = p.levels[first].value;
        std::string const& high = p.levels[l].value;
        if (first == l)
            out.groups.push_back({.text = low, .label = short_number(low), .levels = 1});
        else
            out.groups.push_back({.text = low + " \xe2\x80\x93 " + high,
                                  .label = short_number(low) + "\xe2\x80\x93" + short_number(high),
                                  .levels = l + 1 - first});
        first = l + 1;
    }
    out.said = std::to_string(numbers) + " numbers in " + std::to_string(out.groups.size()) +
               " ranges with about as many outcomes each";
    if (!has_inactive) return out;
    place[numbers] = out.groups.size();
    out.groups.push_back(
        {.text = p.levels.back().value, .label = p.levels.back().value, .levels = 1});
    return out;
}

/// The best values and the inactive level have a line each, the others one together.
/// @param place  takes the group of each level
[[nodiscard]] inline level_grouping best_of(problem_objective const& by, parameter_effect const& p,
                                            std::vector<std::size_t>& place)
{
    level_grouping out;
    std::size_t const own = most_drawn_levels - 1, last = p.levels.size() - 1;
    std::vector<std::size_t> shown = drawn_levels(by, p, own);
    if (p.levels.back().value == inactive_text && shown.back() != last) {
        shown = drawn_levels(by, p, own - 1);
        shown.push_back(last);
    }
    std::fill(place.begin(), place.end(), shown.size());
    for (std::size_t const l : shown) {
        place[l] = out.groups.size();
        out.groups.push_back({.text = p.levels[l].value, .label = p.levels[l].value, .levels = 1});
    }
    std::size_t const others = p.levels.size() - shown.size();
    std::string const words = std::to_string(others) + " others";
    out.groups.push_back({.text = words, .label = words, .levels = others});
    out.said = std::to_string(shown.size()) + " of " + std::to_string(p.levels.size()) +
               " values, those with the best outcomes; the others share a line";
    return out;
}

/// Where labels would be cut, what all values begin with is left out: "…=12". Numbers, the inactive
/// level and the line of the others stay.
inline void shorten_labels(std::vector<level_group>& groups)
{
    std::vector<level_group*> texts;
    bool is_long = false;
    for (level_group& group : groups) {
        if (group.levels != 1 || group.text == inactive_text || number_of(group.text)) continue;
        texts.push_back(&group);
        is_long = is_long || group.text.size() > most_label;
    }
    if (!is_long || texts.size() < 2) return;
    std::size_t same = texts.front()->text.size();
    for (level_group const* const one : texts) {
        auto const end = std::mismatch(one->text.begin(), one->text.end(),
                                       texts.front()->text.begin(), texts.front()->text.end());
        same = std::min(same, static_cast<std::size_t>(end.first - one->text.begin()));
    }
    // The last word that all begin with stays, and no character is cut.
    std::string const& any = texts.front()->text;
    while (same > 0 && (std::isalnum(static_cast<unsigned char>(any[same - 1])) != 0 ||
                        static_cast<unsigned char>(any[same - 1]) >= 0x80))
        --same;
    if (same < 4) return;
    for (level_group* const one : texts)
        if (one->text.size() > same) one->label = "\xe2\x80\xa6" + one->text.substr(same);
}

/// The lines of one parameter, with the outcomes behind each.
/// @param p  index of the parameter
/// Cost      O(n log n) for n rows
[[nodiscard]] inline level_grouping groups_of(problem_report const& of, std::size_t p)
{
    parameter_effect const& effect = of.parameters[p];
    std::vector<std::size_t> place(effect.levels.size());
    level_grouping out;
    if (effect.levels.size() <= most_drawn_levels) {
        std::iota(place.begin(), place.end(), std::size_t{0});
        for (level_effect const& level : effect.levels)
            out.groups.push_back({.text = level.value, .label = level.value, .levels = 1});
    } else {
        bool const are_numbers =
            std::all_of(effect.levels.begin(), effect.levels.end(), [](level_effect const& l) {
                return l.value == inactive_text || number_of(l.value).has_value();
            });
        out = are_numbers ? ranges_of(effect, place) : best_of(of.objective, effect, place);
    }
    shorten_labels(out.groups);
    for (std::size_t r = 0; r < of.past.rows.size(); ++r) {
        level_group& group = out.groups[place[of.levels[r][p]]];
        if (measurement const* const time = usable_time(of.past.rows[r]))
            group.times.push_back(time->value);
        else if (!succeeded(of.past.rows[r].result))
            ++group.failed;
    }
    for (level_group& group : out.groups)
        std::sort(group.times.begin(), group.times.end(),
                  [&](double a, double b) { return of.objective.is_better(a, b); });
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
