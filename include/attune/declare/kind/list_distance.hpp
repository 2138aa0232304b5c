// attune/declare/kind/list_distance.hpp - distances between two permutations and between two tiles.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.1: for permutations Spearman, Kendall, Hamming or none (naive). Each is divided
//          by the largest one in its domain. Of the three between permutations, which BaCO calls
//          semimetrics, the square root is taken: a metric that embeds in Euclidean space, so that
//          eq. (1) and (2) always give a positive semidefinite matrix. Tiles are our own.
//
// tested by space/query/distance.cpp
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline double ratio_or_zero(double part, double whole) { return whole > 0 ? part / whole : 0; }

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
    return std::min(1.0, ratio_or_zero(std::sqrt(sum), std::numbers::sqrt2 * std::log(extent)));
}

} // namespace attune::inline ATTUNE_ABI::detail
