// attune/space/query/distance.hpp - how far apart two configurations are.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.1: absolute difference, difference of logarithms, Hamming, and for
//          permutations Spearman, Kendall, Hamming or none (naive); eq. (2) combines them. We
//          divide each by the largest one in its domain. Of the three between permutations, which
//          BaCO calls semimetrics, we take the square root: a metric that embeds in Euclidean
//          space, so that eq. (1) and (2) always give a positive semidefinite matrix. Tiles are our
//          own.
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/query/steps.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline double ratio_or_zero(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// Between numbers of an ascending table with the given ends.
inline double number_distance(double a, double b, double low, double high, bool logarithmic)
{
    if (logarithmic && low > 0)
        return ratio_or_zero(std::abs(std::log(a) - std::log(b)), std::log(high) - std::log(low));
    return ratio_or_zero(std::abs(a - b), high - low);
}

} // namespace detail

/// Between two orders of the same n items, in [0, 1]; 1 for the two farthest apart: reversed orders
/// (Spearman, Kendall), orders without a common place (Hamming), any two that differ (naive).
/// @param a, b  a[i] is the item at place i; each of 0 .. n - 1 once
/// Source  BaCO Sec. 4.1: d_s = sum of (place in a - place in b)^2, at most (n^3 - n) / 3;
///         d_k = discordant pairs, at most n (n - 1) / 2; d_h = differing places, at most n. This
///         is the square root of each over its maximum. Sec. 5.3: naive, 0 or 1.
[[nodiscard]] inline double permutation_distance(std::span<std::int64_t const> a,
                                                 std::span<std::int64_t const> b,
                                                 order_distance how = order_distance::spearman)
{
    ATTUNE_ASSERT(a.size() == b.size(), "two orders must be of the same items");
    std::size_t const n = a.size();
    if (n < 2) return 0;
    if (how == order_distance::naive) return std::equal(a.begin(), a.end(), b.begin()) ? 0 : 1;
    std::vector<std::int64_t> place_a(n);
    std::vector<std::int64_t> place_b(n);
    for (std::size_t i = 0; i < n; ++i) {
        place_a[static_cast<std::size_t>(a[i])] = static_cast<std::int64_t>(i);
        place_b[static_cast<std::size_t>(b[i])] = static_cast<std::int64_t>(i);
    }
    double sum = 0;
    double const count = static_cast<double>(n);
    double largest = count;
    switch (how) {
    case order_distance::spearman:
        for (std::size_t i = 0; i < n; ++i) {
            double const moved = static_cast<double>(place_a[i] - place_b[i]);
            sum += moved * moved;
        }
        largest = (count * count * count - count) / 3;
        break;
    case order_distance::kendall:
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j)
                sum += (place_a[i] < place_a[j]) != (place_b[i] < place_b[j]) ? 1 : 0;
        largest = count * (count - 1) / 2;
        break;
    case order_distance::hamming:
        for (std::size_t i = 0; i < n; ++i)
            sum += a[i] != b[i] ? 1 : 0;
        break;
    case order_distance::naive:
        break; // answered above
    }
    return std::sqrt(sum / largest);
}

/// Between two ways to write one extent as a product: the Euclidean norm of the logarithms of the
/// ratios of their factors, over the largest possible, sqrt(2) log(extent). In [0, 1].
[[nodiscard]] inline double tile_distance(std::span<std::int64_t const> a,
                                          std::span<std::int64_t const> b)
{
    ATTUNE_ASSERT(a.size() == b.size(), "two tiles must have the same number of factors");
    double sum = 0;
    double extent = 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
        double const log_a = std::log(static_cast<double>(a[i]));
        double const ratio = log_a - std::log(static_cast<double>(b[i]));
        sum += ratio * ratio;
        extent *= static_cast<double>(a[i]);
    }
    return std::min(1.0,
                    detail::ratio_or_zero(std::sqrt(sum), std::numbers::sqrt2 * std::log(extent)));
}

/// How far apart two values of one parameter are: in [0, 1], 1 for the farthest pair of its domain,
/// whatever the constraints. Symmetric, 0 only for equal values, and a metric.
///   real, integer, ordinal  difference; of logarithms on a logarithmic scale or a doubling range
///   categorical, boolean    0 or 1
///   permutation, tile       permutation_distance by the parameter's metric, tile_distance
/// @pre  both coordinates are inside the table or interval
[[nodiscard]] inline double
parameter_distance(parameter_description const& parameter, coordinate a, coordinate b)
{
    switch (parameter.kind) {
    case parameter_kind::real:
        return detail::number_distance(
            a.real, b.real, parameter.low, parameter.high, parameter.on == scale::log);
    case parameter_kind::integer:
    case parameter_kind::ordinal: {
        auto const number_of = [&](std::uint32_t index) {
            return number_at(parameter, coordinate{index, 0}).as_real();
        };
        bool const logarithmic =
            parameter.on == scale::log || parameter.rule.steps == progression::doubling;
        return detail::number_distance(number_of(a.index),
                                       number_of(b.index),
                                       number_of(0),
                                       number_of(parameter.value_count() - 1),
                                       logarithmic);
    }
    case parameter_kind::categorical:
    case parameter_kind::boolean:
        return a.index == b.index ? 0 : 1;
    case parameter_kind::permutation:
        return permutation_distance(
            elements_at(parameter, a.index), elements_at(parameter, b.index), parameter.metric);
    case parameter_kind::tile:
        return tile_distance(elements_at(parameter, a.index), elements_at(parameter, b.index));
    }
    return 0;
}

/// parameter_distance for every parameter of `space`, in order of declaration.
[[nodiscard]] inline std::vector<double>
distances(description const& space, point const& a, point const& b)
{
    ATTUNE_ASSERT(a.size() == space.parameters.size() && b.size() == a.size(),
                  "a point has one coordinate per parameter");
    std::vector<double> out(a.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = parameter_distance(space.parameters[i], a[i], b[i]);
    return out;
}

/// The Euclidean norm of distances(): BaCO eq. (2) with all length scales 1.
[[nodiscard]] inline double distance(description const& space, point const& a, point const& b)
{
    double sum = 0;
    for (double const d : distances(space, a, b))
        sum += d * d;
    return std::sqrt(sum);
}

} // namespace attune::inline ATTUNE_ABI
