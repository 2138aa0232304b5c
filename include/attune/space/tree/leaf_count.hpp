// attune/space/tree/leaf_count.hpp - the number of the leaves of a tree, and a draw among them.
// SPDX-License-Identifier: MIT
//
// tested by space/tree/tree.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Counts and numbers leaves.
__extension__ typedef unsigned __int128 leaf_count;

namespace detail {

/// The count of a tree with too many leaves for leaf_count.
inline constexpr leaf_count uncountable = ~leaf_count{0};

/// Uniform in [0, bound), without modulo bias.  @pre bound > 0
[[nodiscard]] inline leaf_count uniform_leaf(random_engine& engine, leaf_count bound) noexcept
{
    if (bound <= ~std::uint64_t{0}) return uniform_below(engine, static_cast<std::uint64_t>(bound));
    leaf_count const reject_below = (leaf_count{0} - bound) % bound;
    for (;;) {
        leaf_count const bits = (leaf_count{engine()} << 64U) | engine();
        if (bits >= reject_below) return bits % bound;
    }
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
