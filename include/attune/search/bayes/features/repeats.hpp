// attune/search/bayes/features/repeats.hpp - finds features that are determined by another one.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Levels of one feature at some points.
struct level_column {
    std::span<std::uint32_t const> level; ///< of each point
    std::uint32_t levels = 0;             ///< their number
    bool is_ordered = false;              ///< levels ascend on a line
};

/// Whether both features divide the points into the same groups, in the same or the opposite order
/// where there are more than two groups.
/// Cost   one pass over the points, less when they differ early
[[nodiscard]] inline bool repeats(level_column const& a, level_column const& b)
{
    std::uint32_t const none = ~std::uint32_t{0};
    std::vector<std::uint32_t> to_b(a.levels, none);
    std::vector<std::uint32_t> to_a(b.levels, none);
    for (std::size_t i = 0; i < a.level.size(); ++i) {
        std::uint32_t const from = a.level[i];
        std::uint32_t const to = b.level[i];
        if (to_b[from] == none && to_a[to] == none) {
            to_b[from] = to;
            to_a[to] = from;
        }
        if (to_b[from] != to || to_a[to] != from) return false;
    }
    std::erase(to_b, none);
    if (to_b.size() <= 2) return true;
    return a.is_ordered && b.is_ordered &&
           (std::is_sorted(to_b.begin(), to_b.end()) || std::is_sorted(to_b.rbegin(), to_b.rend()));
}

/// Whether the levels of `a` only rise or only fall along `line`, and are equal where it is equal.
[[nodiscard]] inline bool follows(std::span<std::uint32_t const> a, std::span<double const> line)
{
    std::vector<std::size_t> order(a.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return line[i] < line[j]; });
    bool rises = true;
    bool falls = true;
    for (std::size_t k = 1; k < order.size(); ++k) {
        std::uint32_t const before = a[order[k - 1]];
        std::uint32_t const after = a[order[k]];
        if (line[order[k - 1]] == line[order[k]] && before != after) return false;
        rises = rises && before <= after;
        falls = falls && before >= after;
    }
    return rises || falls;
}

} // namespace attune::inline ATTUNE_ABI::detail
