// attune/search/transfer/portfolio.hpp - few candidates of which one is good in each session.
// SPDX-License-Identifier: MIT
// Source   greedy cover, as for sums of minima (facility location) it is within 1 - 1/e of the best
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What a candidate is worth by itself, beside what it adds to those before it.
inline constexpr double portfolio_mean_share = 0.1;
/// More than this, as a logarithm, no session says against a candidate.
inline constexpr double most_slowdown = 2;

/// Up to `count` rows, chosen one by one: each has the least
/// sum over s of weight[s] * (portfolio_mean_share * slowdown[s][row] + min of slowdown[s] over it
/// and those before it), the first of equals.
/// @param slowdown  s x m: how much slower than the best of session s a candidate is, at most
///                  most_slowdown
[[nodiscard]] std::vector<std::size_t>
greedy_portfolio(std::vector<std::vector<double>> const& slowdown,
                 std::vector<double> const& weight, std::size_t count);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/portfolio.ipp>
#endif
