// attune/declare/kind/detail/listed.hpp - the functions of parameters with a table or a range of values.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kind/detail/interval.hpp>
#include <attune/declare/kind/kind_rules.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Index of `wanted` in a range without a table.
[[nodiscard]] inline std::optional<std::uint32_t>
index_in_range(parameter_description const& parameter, std::int64_t wanted)
{
    std::int64_t const step = parameter.rule.step;
    std::int64_t const last = parameter.integer_at(parameter.range_count - 1);
    if (wanted < parameter.rule.first || wanted > last) return {};
    std::uint64_t const into =
        static_cast<std::uint64_t>(wanted) - static_cast<std::uint64_t>(parameter.rule.first);
    if (into % static_cast<std::uint64_t>(step) != 0) return {};
    return static_cast<std::uint32_t>(into / static_cast<std::uint64_t>(step));
}

namespace listed_kind {

inline std::string text(parameter_description const& p, coordinate at)
{
    if (!p.labels.empty()) return p.labels[at.index];
    if (!p.reals.empty()) return text_of_real(p.reals[at.index]);
    return std::to_string(p.integer_at(at.index));
}
inline std::optional<coordinate> parse(parameter_description const& p, std::string_view text)
{
    std::string const wanted = without_spaces(text);
    if (!p.reals.empty()) {
        std::optional<double> const v = parse_real(wanted);
        for (std::uint32_t i = 0; v && i < p.reals.size(); ++i)
            if (p.reals[i] == *v) return coordinate{i, 0};
        return {};
    }
    if (!p.labels.empty()) {
        for (std::uint32_t i = 0; i < p.labels.size(); ++i)
            if (p.labels[i] == text) return coordinate{i, 0};
        for (std::uint32_t i = 0; i < p.labels.size(); ++i)
            if (without_spaces(p.labels[i]) == wanted) return coordinate{i, 0};
        return {};
    }
    auto const numbers = parse_integers(wanted);
    if (!numbers || numbers->size() != 1) return {};
    if (p.range_count > 0) {
        auto const index = index_in_range(p, numbers->front());
        return index ? std::optional(coordinate{*index, 0}) : std::nullopt;
    }
    for (std::uint32_t i = 0; i < p.integers.size(); ++i)
        if (p.integers[i] == numbers->front()) return coordinate{i, 0};
    return {};
}

} // namespace listed_kind

/// The difference of two numbers; of their logarithms on a logarithmic scale or a doubling range.
inline double number_distance(parameter_description const& p, coordinate a, coordinate b)
{
    auto const number_of = [&](std::uint32_t index) { return number_at(p, {index, 0}).as_real(); };
    bool const logarithmic = p.on == scale::log || p.rule.steps == progression::doubling;
    return share_of_way(number_of(a.index), number_of(b.index), number_of(0),
                        number_of(p.value_count() - 1), logarithmic);
}
inline double whether_different(parameter_description const&, coordinate a, coordinate b)
{
    return a.index == b.index ? 0 : 1;
}

/// In each direction, offers values until one step is taken.
inline void nearest_that_is_taken(parameter_description const& p, coordinate at,
                                  step_taker const& take)
{
    std::uint32_t const count = p.value_count();
    for (std::uint32_t i = at.index; i-- > 0;)
        if (take({i, 0})) break;
    for (std::uint32_t i = at.index + 1; i < count; ++i)
        if (take({i, 0})) break;
}
inline void every_other_value(parameter_description const& p, coordinate at, step_taker const& take)
{
    std::uint32_t const count = p.value_count();
    for (std::uint32_t i = 0; i < count; ++i)
        if (i != at.index) take({i, 0});
}

inline void share_of_table(parameter_description const& p, std::span<double const>, coordinate at,
                           std::span<double> out)
{
    out[0] = p.value_count() > 1 ? at.index / (p.value_count() - 1.0) : 0;
}
inline coordinate index_of_share(parameter_description const& p, std::span<double const>,
                                 std::span<double const> at)
{
    double const last = p.value_count() - 1.0;
    return {static_cast<std::uint32_t>(std::lround(std::clamp(at[0], 0.0, 1.0) * last)), 0};
}

/// One-hot encoding: one number per value.
[[nodiscard]] inline std::size_t one_per_value(parameter_description const& p)
{
    return p.value_count();
}
inline void one_hot(parameter_description const&, std::span<double const>, coordinate at,
                    std::span<double> out)
{
    out[at.index] = 1;
}
inline coordinate index_of_greatest(parameter_description const&, std::span<double const>,
                                    std::span<double const> at)
{
    return {static_cast<std::uint32_t>(std::max_element(at.begin(), at.end()) - at.begin()), 0};
}

} // namespace attune::inline ATTUNE_ABI::detail
