// attune/space/nearest_options.hpp - limits of the search for the nearest valid configurations.
// SPDX-License-Identifier: MIT
//
// tested by space/query/nearest.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The most configurations that chain_of_trees::neighbours() adds for one tree.
inline constexpr std::size_t most_nearest = 8;

} // namespace detail

/// Limits of nearest_valid().
struct nearest_options {
    std::size_t count = detail::most_nearest; ///< configurations wanted
    std::size_t candidates = 4096; ///< most that are tested against constraints over reals
};

} // namespace attune::inline ATTUNE_ABI
