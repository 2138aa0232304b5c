// attune/ship/report/detail/levels.hpp - the values of a parameter in order, and as a few lines of a page.
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
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::string_view leading_digits(std::string_view text)
{
    std::size_t n = 0;
    while (n < text.size() && text[n] >= '0' && text[n] <= '9')
        ++n;
    return text.substr(0, n);
}

/// Compares digits as numbers, and other characters byte by byte: "{4, 8}" comes before "{16, 2}".
[[nodiscard]] inline bool comes_before(std::string_view a, std::string_view b)
{
    std::string_view x = a, y = b;
    while (!x.empty() && !y.empty()) {
        std::string_view m = leading_digits(x), n = leading_digits(y);
        if (m.empty() || n.empty()) {
            if (x[0] != y[0])
                return static_cast<unsigned char>(x[0]) < static_cast<unsigned char>(y[0]);
            x.remove_prefix(1);
            y.remove_prefix(1);
            continue;
        }
        x.remove_prefix(m.size());
        y.remove_prefix(n.size());
        m.remove_prefix(std::min(m.find_first_not_of('0'), m.size()));
        n.remove_prefix(std::min(n.find_first_not_of('0'), n.size()));
        if (m.size() != n.size()) return m.size() < n.size();
        if (m != n) return m < n;
    }
    if (x.empty() != y.empty()) return x.empty();
    return a < b; // "01" and "1" are two values
}

/// Sorts numbers ascending, then other texts by comes_before(). The inactive level is the last.
/// @param values  each once
inline void sort_levels(std::vector<std::string>& values)
{
    struct keyed {
        int kind = 0;
        double number = 0;
        std::string text;
    };
    std::vector<keyed> all;
    for (std::string& value : values) {
        std::optional<double> const number = number_of(value);
        bool const is_number = number && *number == *number;
        int const kind = value == inactive_text ? 2 : is_number ? 0 : 1;
        all.push_back({kind, kind == 0 ? *number : 0, std::move(value)});
    }
    std::sort(all.begin(), all.end(), [](keyed const& a, keyed const& b) {
        if (a.kind != b.kind) return a.kind < b.kind;
        return a.number != b.number ? a.number < b.number : comes_before(a.text, b.text);
    });
    for (std::size_t i = 0; i < all.size(); ++i)
        values[i] = std::move(all[i].text);
}

/// Largest number of lines of a parameter.
inline constexpr std::size_t most_drawn_levels = 16;
/// Number of ranges for numbers, if there are more values than lines.
inline constexpr std::size_t level_ranges = 12;

/// Characters of a label that a chart has room for: beside its line, and above it.
inline constexpr std::size_t most_label_beside = 10, most_label = 36;

/// A value, a range of numbers, or all values without a separate line.
struct level_group {
    std::string text{};
    std::string label{};         ///< short form of it
    std::size_t levels = 0;      ///< number of values in it
    std::vector<double> times{}; ///< times of all outcomes with a time, the best first
    std::size_t failed = 0;

    [[nodiscard]] std::size_t outcomes() const noexcept { return times.size() + failed; }
    /// Share of the outcomes that failed.  @pre  outcomes() > 0
    [[nodiscard]] double lost() const noexcept
    {
        return static_cast<double>(failed) / static_cast<double>(outcomes());
    }
    /// @pre  `times` is not empty
    [[nodiscard]] double median() const
    {
        std::size_t const n = times.size();
        return n % 2 == 1 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
    }
};

/// Indices of values in their order: all, or the best ones if there are too many.
[[nodiscard]] inline std::vector<std::size_t>
drawn_levels(problem_objective const& by, parameter_effect const& of, std::size_t most)
{
    std::vector<std::size_t> out(of.levels.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    if (out.size() <= most) return out;
    auto const best = [&](std::size_t l) {
        return of.levels[l].measured > 0 ? of.levels[l].best_s
               : by.is_higher_better     ? -HUGE_VAL
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
    std::string said{};     ///< how values became lines; empty: a line for each value
    std::size_t winner = 0; ///< the group of the winner, or of the best; groups.size(): none
};

/// A number of at most six characters; otherwise rounded to a whole number or three digits.
[[nodiscard]] inline std::string short_number(std::string const& text)
{
    std::optional<double> const number = number_of(text);
    if (text.size() <= 6 || !number) return text;
    double const size = std::fabs(*number);
    return formatted(size >= 100 && size < 999'999 ? "%.0f" : "%.3g", *number);
}

/// Numbers in ranges with about as many outcomes each. The inactive level is separate.
/// @param place  receives the group of each level
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

/// A line for each of the best values and for the inactive level, and one for all others.
/// @param place  receives the group of each level
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

/// If labels would be cut, leaves out the common start of all values: "…=12". Numbers, the inactive
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
    // Keeps the last common word, and cuts no character.
    std::string const& any = texts.front()->text;
    while (same > 0 && (std::isalnum(static_cast<unsigned char>(any[same - 1])) != 0 ||
                        static_cast<unsigned char>(any[same - 1]) >= 0x80))
        --same;
    if (same < 4) return;
    for (level_group* const one : texts)
        if (one->text.size() > same) one->label = "\xe2\x80\xa6" + one->text.substr(same);
}

/// The lines of a parameter, with the outcomes of each.
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
    out.winner = of.winner_row ? place[of.levels[*of.winner_row][p]] : out.groups.size();
    for (std::size_t r = 0; r < of.past.rows.size(); ++r) {
        level_group& group = out.groups[place[of.levels[r][p]]];
        if (measurement const* const time = usable_value(of.objective, of.past.rows[r]))
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
