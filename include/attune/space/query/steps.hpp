// attune/space/query/steps.hpp - one step away from a value of one parameter.
// SPDX-License-Identifier: MIT
//
// One swap is the step between permutations that BaCO's local search takes too
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/table.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Where a real parameter stands on its scale, 0 at its low end and 1 at its high end.
[[nodiscard]] inline double scale_position(parameter_description const& parameter, double value)
{
    if (parameter.low == parameter.high) return 0;
    if (parameter.on == scale::log)
        return std::log(value / parameter.low) / std::log(parameter.high / parameter.low);
    return (value - parameter.low) / (parameter.high - parameter.low);
}

/// The inverse of scale_position; always inside the interval.
[[nodiscard]] inline double scale_value(parameter_description const& parameter, double position)
{
    double const value = parameter.on == scale::log
                             ? parameter.low * std::pow(parameter.high / parameter.low, position)
                             : parameter.low + (parameter.high - parameter.low) * position;
    return std::clamp(value, parameter.low, parameter.high);
}

namespace detail {

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

inline std::vector<std::int64_t> prime_factors(std::int64_t n)
{
    std::vector<std::int64_t> out;
    for (std::int64_t p = 2; p <= n / p; ++p) {
        if (n % p == 0) out.push_back(p);
        while (n % p == 0)
            n /= p;
    }
    if (n > 1) out.push_back(n);
    return out;
}

inline std::vector<coordinate> swaps(parameter_description const& parameter, coordinate at)
{
    std::vector<std::int64_t> order = elements_at(parameter, at.index);
    std::vector<coordinate> out;
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            std::swap(order[i], order[j]);
            out.push_back({permutation_rank(order), 0});
            std::swap(order[i], order[j]);
        }
    return out;
}

inline std::vector<coordinate> factor_moves(parameter_description const& parameter, coordinate at)
{
    std::vector<std::int64_t> factors = elements_at(parameter, at.index);
    std::vector<coordinate> out;
    for (std::size_t from = 0; from < factors.size(); ++from)
        for (std::int64_t const prime : prime_factors(factors[from]))
            for (std::size_t to = 0; to < factors.size(); ++to) {
                if (to == from) continue;
                factors[from] /= prime;
                factors[to] *= prime;
                if (auto const row = tile_row(parameter, factors)) out.push_back({*row, 0});
                factors[from] *= prime;
                factors[to] /= prime;
            }
    return out;
}

} // namespace detail

/// How far a real parameter moves in one step, as a share of its scale.
inline constexpr double real_step = 0.05;

/// Calls `try_step(coordinate) -> bool` for what lies one step from `at`. For integer and ordinal
/// parameters it goes on in each direction until `try_step` says that it took one; for the others
/// every step is offered: each other value (categorical, boolean), each swap of two items
/// (permutation), each prime factor moved elsewhere (tile), 5 % of the scale up and down (real).
/// @pre  `at` is inside the parameter's table or interval
template <class TryStep>
void for_each_step(parameter_description const& parameter, coordinate at, TryStep&& try_step)
{
    std::uint32_t const count = parameter.value_count();
    auto const offer_all = [&](std::vector<coordinate> const& steps) {
        for (coordinate const& step : steps)
            static_cast<void>(try_step(step));
    };
    switch (parameter.kind) {
    case parameter_kind::integer:
    case parameter_kind::ordinal:
        for (std::uint32_t i = at.index; i-- > 0;)
            if (try_step(coordinate{i, 0})) break;
        for (std::uint32_t i = at.index + 1; i < count; ++i)
            if (try_step(coordinate{i, 0})) break;
        break;
    case parameter_kind::categorical:
    case parameter_kind::boolean:
        for (std::uint32_t i = 0; i < count; ++i)
            if (i != at.index) static_cast<void>(try_step(coordinate{i, 0}));
        break;
    case parameter_kind::permutation:
        offer_all(detail::swaps(parameter, at));
        break;
    case parameter_kind::tile:
        offer_all(detail::factor_moves(parameter, at));
        break;
    case parameter_kind::real:
        for (double const step : {-real_step, real_step}) {
            double const position = scale_position(parameter, at.real) + step;
            double const moved = scale_value(parameter, std::clamp(position, 0.0, 1.0));
            if (moved != at.real) static_cast<void>(try_step(coordinate{0, moved}));
        }
        break;
    }
}

} // namespace attune::inline ATTUNE_ABI
