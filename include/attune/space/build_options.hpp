// attune/space/build_options.hpp - limits of building a space and of the search for its nearest configurations; the number of leaves.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Limits of the enumeration of settings that filters the domains of a condition's parameters.
struct enumeration_limits {
    std::uint64_t settings = 4096;           ///< most settings of one condition
    std::uint64_t wide_settings = 3'000'000; ///< the same if one parameter has wide_values or more
    std::uint32_t wide_values = 64;          ///< many of so many values may be impossible
    std::uint64_t max_visits = 4'000'000; ///< values tried in total; later domains stay unfiltered
    std::uint64_t max_bytes = 64ULL << 20U; ///< memory of the enumeration, freed afterwards
};

/// How to treat parameters whose tree exceeds the limits.
enum class when_wide : std::uint8_t {
    estimate, ///< draw them without a tree, and estimate their number (wide_tree.hpp)
    refuse,   ///< attune::error names them and the constraints that tie them
};

/// Limits of work and memory for a space. Work counts in visits, not seconds, so that a space is
/// the same on every machine.
struct build_options {
    /// Values tried for all trees and all their orders together. A wide tree uses up the default in
    /// one to two seconds.
    std::uint64_t max_visits = 24'000'000;
    /// Memory while a tree is built: the tree and all tables of its construction.
    std::uint64_t max_bytes = 256ULL << 20U;
    when_wide wide = when_wide::estimate;
    enumeration_limits enumeration; ///< before the trees are built
};

namespace detail {

/// The most configurations that chain_of_trees::neighbours() adds for one tree.
inline constexpr std::size_t most_nearest = 8;

} // namespace detail

/// Limits of nearest_valid().
struct nearest_options {
    std::size_t count = detail::most_nearest; ///< configurations wanted
    std::size_t candidates = 4096; ///< most that are tested against constraints over reals
};

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
