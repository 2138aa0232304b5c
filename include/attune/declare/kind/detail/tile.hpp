// attune/declare/kind/detail/tile.hpp - the functions of a tile.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kind/kind_rules.hpp>
#include <attune/declare/kind/list_distance.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

namespace tile_kind {

/// The row of `wanted` in a tile's table, whose rows ascend lexicographically.
inline std::optional<std::uint32_t> tile_row(parameter_description const& parameter,
                                             std::span<std::int64_t const> wanted)
{
    std::size_t low = 0;
    std::size_t high = parameter.value_count();
    while (low < high) {
        std::size_t const middle = low + (high - low) / 2;
        auto const row =
            std::span(parameter.integers).subspan(middle * wanted.size(), wanted.size());
        if (std::equal(row.begin(), row.end(), wanted.begin()))
            return static_cast<std::uint32_t>(middle);
        if (std::lexicographical_compare(row.begin(), row.end(), wanted.begin(), wanted.end()))
            low = middle + 1;
        else
            high = middle;
    }
    return {};
}

inline std::optional<coordinate> parse(parameter_description const& p, std::string_view text)
{
    auto const wanted = parse_integers(without_spaces(text));
    if (!wanted || wanted->size() != p.parts) return {};
    std::optional<std::uint32_t> const row = tile_row(p, *wanted);
    return row ? std::optional(coordinate{*row, 0}) : std::nullopt;
}
inline double distance(parameter_description const& p, coordinate a, coordinate b)
{
    return tile_distance(elements_at(p, a.index), elements_at(p, b.index));
}
/// Offers each move of one prime factor from one part to another.
inline void steps(parameter_description const& p, coordinate at, step_taker const& take)
{
    std::vector<std::int64_t> factors = elements_at(p, at.index);
    for (std::size_t from = 0; from < factors.size(); ++from)
        for (prime_power const& of : prime_factors(factors[from]))
            for (std::size_t to = 0; to < factors.size(); ++to) {
                if (to == from) continue;
                factors[from] /= of.prime;
                factors[to] *= of.prime;
                if (auto const row = tile_row(p, factors)) take({*row, 0});
                factors[from] *= of.prime;
                factors[to] /= of.prime;
            }
}

/// The logarithm of each factor of each row.
inline std::vector<double> logarithms(parameter_description const& p)
{
    std::vector<double> out;
    for (std::int64_t const factor : p.integers)
        out.push_back(std::log(static_cast<double>(factor)));
    return out;
}
/// The logarithm of the extent; 1 for the extent 1.
[[nodiscard]] inline double log_extent(std::span<double const> logs, std::size_t parts)
{
    double sum = 0;
    for (std::size_t part = 0; part < parts; ++part)
        sum += logs[part];
    return sum > 0 ? sum : 1;
}
/// The logarithms of the factors, divided by that of the extent.
inline void to_unit(parameter_description const&, std::span<double const> logs, coordinate at,
                    std::span<double> out)
{
    for (std::size_t part = 0; part < out.size(); ++part)
        out[part] = logs[at.index * out.size() + part] / log_extent(logs, out.size());
}
inline coordinate from_unit(parameter_description const& p, std::span<double const> logs,
                            std::span<double const> at)
{
    double const extent = log_extent(logs, at.size());
    std::uint32_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t row = 0; row < p.value_count(); ++row) {
        double sum = 0;
        for (std::size_t part = 0; part < at.size(); ++part) {
            double const gap = logs[row * at.size() + part] / extent - at[part];
            sum += gap * gap;
        }
        if (sum >= least) continue;
        least = sum;
        best = row;
    }
    return {best, 0};
}

} // namespace tile_kind

} // namespace attune::inline ATTUNE_ABI::detail
