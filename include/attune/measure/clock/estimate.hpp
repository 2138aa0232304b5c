// attune/measure/clock/estimate.hpp - the median of samples and its confidence interval.
// SPDX-License-Identifier: MIT
// Source   the order-statistic interval: of n samples, the number below the median is binomial(n,
//          1/2) for every distribution, so the probability of x(low) <= median <= x(high) is a
//          binomial sum. It is exact for continuous distributions and a lower bound with ties
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// Fewest samples whose range contains the median with 95 % confidence: 1 - 2 * 2^-6 = 0.969; five
/// samples have 0.938.
inline constexpr std::size_t fewest_for_confidence = 6;

/// Two ranks, from 0, of n sorted samples, and the probability that the median is between them.
struct rank_interval {
    std::size_t low = 0;
    std::size_t high = 0;
    double coverage = 0; ///< in [0, 1)
};

/// The narrowest symmetric ranks that cover the median with probability >= `confidence`; the first
/// and the last rank when n is too small for that.
///
/// @param n           samples, > 0
/// @param confidence  in (0, 1)
/// Errors   none
/// Cost     O(sqrt n), no logarithms: terms relative to the central one, then divided by their sum
[[nodiscard]] constexpr rank_interval median_ranks(std::size_t n, double confidence = 0.95) noexcept
{
    ATTUNE_ASSERT(n > 0, "a median needs a sample");
    // P(low < X <= high), high = n - 1 - low, X ~ binomial(n, 1/2): X in [low + 1, n - 1 - low].
    std::size_t const centre = n / 2;
    double total = 1;
    double term = 1;
    for (std::size_t k = centre; k > 0 && term > 1e-20; --k) {
        term *= static_cast<double>(k) / static_cast<double>(n - k + 1);
        total += term;
    }
    term = 1;
    for (std::size_t k = centre; k < n && term > 1e-20; ++k) {
        term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
        total += term;
    }
    // Widens from the centre until enough is covered. `edge`: term of the outermost X included.
    bool const even = n % 2 == 0;
    std::size_t low = even ? centre - 1 : centre;
    double edge = 1;
    double covered = even ? 1 : 0;
    while (low > 0 && covered < confidence * total) {
        // One more rank on each side adds X = low and, by symmetry, X = n - low.
        if (low + 1 <= centre) edge *= static_cast<double>(low + 1) / static_cast<double>(n - low);
        covered += 2 * edge;
        --low;
    }
    return {low, n - 1 - low, covered / total};
}

/// Median and interval of samples in ascending order. With fewer than `fewest_for_confidence`
/// samples the interval is their range and covers less than `confidence`.
///
/// @param sorted      ascending, not empty, no NaN
/// @param confidence  in (0, 1)
[[nodiscard]] constexpr measurement median_of_sorted(std::span<double const> sorted,
                                                     double confidence = 0.95) noexcept
{
    std::size_t const n = sorted.size();
    rank_interval const ranks = median_ranks(n, confidence);
    double const upper = sorted[n / 2];
    double const value = n % 2 == 1 ? upper : sorted[n / 2 - 1] + (upper - sorted[n / 2 - 1]) / 2;
    return {value, sorted[ranks.low], sorted[ranks.high], static_cast<std::uint32_t>(n)};
}

/// Sorts samples in place; then as median_of_sorted().
[[nodiscard]] constexpr measurement median_of(std::span<double> samples,
                                              double confidence = 0.95) noexcept
{
    std::sort(samples.begin(), samples.end());
    return median_of_sorted(samples, confidence);
}

/// True when half the interval is at most `precision` times the value (0.01: 1 %). Never true for a
/// precision of 0.
[[nodiscard]] constexpr bool is_narrow(measurement const& m, double precision) noexcept
{
    return precision > 0 && m.samples >= fewest_for_confidence &&
           (m.high - m.low) / 2 <= precision * m.value;
}

} // namespace attune::inline ATTUNE_ABI::detail
