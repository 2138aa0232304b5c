// attune/search/bayes/features/embedding.hpp - embeds permutations and tiles into a Euclidean space.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.1; that its distances between orders embed: Lomeli et al. 2019
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/table.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Appends the coordinates of one order of n >= 2 items:
///   spearman  the place of each item;  kendall  which item of each pair comes first
///   hamming   for each place and item whether the one holds the other
inline void embed_order(std::span<std::int64_t const> order, order_distance how,
                        std::vector<double>& out)
{
    std::size_t const n = order.size();
    double const count = static_cast<double>(n);
    std::vector<double> place(n);
    for (std::size_t i = 0; i < n; ++i)
        place[static_cast<std::size_t>(order[i])] = static_cast<double>(i);
    switch (how) {
    case order_distance::spearman:
        for (double const p : place)
            out.push_back(p / std::sqrt((count * count * count - count) / 3));
        break;
    case order_distance::kendall:
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j)
                out.push_back(place[i] < place[j] ? 0 : 1 / std::sqrt(count * (count - 1) / 2));
        break;
    case order_distance::hamming:
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                out.push_back(order[i] == static_cast<std::int64_t>(j) ? 1 / std::sqrt(2 * count)
                                                                       : 0);
        break;
    case order_distance::naive: // has no order: nominal
        break;
    }
}

/// For every value of a permutation or tile in turn, equally many numbers; none for a permutation
/// of fewer than two items or with the naive metric.
[[nodiscard]] inline std::vector<double> embedding(parameter_description const& parameter)
{
    std::vector<double> out;
    for (std::uint32_t v = 0; v < parameter.value_count(); ++v) {
        std::vector<std::int64_t> const parts = elements_at(parameter, v);
        if (parameter.traits().is_order) {
            if (parts.size() > 1) embed_order(parts, parameter.metric, out);
            continue;
        }
        double extent = 0;
        for (std::int64_t const factor : parts)
            extent += std::log(static_cast<double>(factor));
        for (std::int64_t const factor : parts)
            out.push_back(extent > 0 ? std::log(static_cast<double>(factor)) /
                                           (std::numbers::sqrt2 * extent)
                                     : 0);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
