// attune/search/transfer/portfolio.ipp - few candidates of which one is good in each session.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/transfer/portfolio.hpp>

#include <algorithm>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<std::size_t>
greedy_portfolio(std::vector<std::vector<double>> const& slowdown,
                 std::vector<double> const& weight, std::size_t count)
{
    std::vector<std::size_t> out;
    if (slowdown.empty()) return out;
    std::vector<double> covered(slowdown.size(), most_slowdown);
    std::vector<char> taken(slowdown.front().size(), 0);
    while (out.size() < std::min(count, taken.size())) {
        std::size_t next = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t row = 0; row < taken.size(); ++row) {
            if (taken[row] != 0) continue;
            double cost = 0;
            for (std::size_t s = 0; s < slowdown.size(); ++s)
                cost += weight[s] * (portfolio_mean_share * slowdown[s][row] +
                                     std::min(covered[s], slowdown[s][row]));
            if (!(cost < least)) continue;
            least = cost;
            next = row;
        }
        taken[next] = 1;
        out.push_back(next);
        for (std::size_t s = 0; s < slowdown.size(); ++s)
            covered[s] = std::min(covered[s], slowdown[s][next]);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
