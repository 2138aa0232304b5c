// attune/space/build_options.hpp - limits of the cost of building a space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Limits of enumerating the settings of a condition's parameters to filter their domains.
struct enumeration_limits {
    std::uint64_t settings = 4096;           ///< enumerated always
    std::uint64_t wide_settings = 3'000'000; ///< limit if one parameter has wide_values or more
    std::uint32_t wide_values = 64;          ///< ... as many of these may be impossible
    std::uint64_t max_visits = 4'000'000;    ///< values tried in all; later domains stay unfiltered
    std::uint64_t max_bytes = 64ULL << 20U;  ///< memory for that, freed afterwards
};

/// How to treat parameters whose tree exceeds the limits.
enum class when_wide : std::uint8_t {
    estimate, ///< drawn without a tree, counted approximately (wide_tree.hpp)
    refuse,   ///< attune::error names them and the constraints that tie them
};

/// Limits of work and memory for a space. Visits instead of seconds, so that the same space gives
/// the same result on every machine.
struct build_options {
    /// Values tried for all trees and all their orders together; the default takes one to two
    /// seconds where a tree is wide.
    std::uint64_t max_visits = 24'000'000;
    /// Memory while a tree is built: the tree and all tables of its construction.
    std::uint64_t max_bytes = 256ULL << 20U;
    when_wide wide = when_wide::estimate;
    enumeration_limits enumeration; ///< before the trees are built
};

} // namespace attune::inline ATTUNE_ABI
