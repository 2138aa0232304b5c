// attune/core/sort_stably.hpp - sorts; equal elements keep their order.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Sorts like std::stable_sort. libstdc++ 12 calls a deprecated function there, and Clang would
/// warn in a user's header-only unit.
/// Cost     O(n log n) comparisons, memory of a second vector
template <class T, class Less>
void sort_stably(std::vector<T>& all, Less less)
{
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (less(all[a], all[b])) return true;
        return a < b && !less(all[b], all[a]);
    });
    std::vector<T> out;
    out.reserve(all.size());
    for (std::size_t const at : order)
        out.push_back(std::move(all[at]));
    all = std::move(out);
}

} // namespace attune::inline ATTUNE_ABI::detail
