// attune/space/build_options.hpp - how much building a space may cost.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// How many settings of a condition's parameters are enumerated to filter their domains.
struct enumeration_limits {
    std::uint64_t settings = 4096;           ///< always worth it up to here
    std::uint64_t wide_settings = 3'000'000; ///< if one parameter has wide_values or more, since
    std::uint32_t wide_values = 64;          ///< most of them may be impossible
    std::uint64_t max_visits = 4'000'000;    ///< values tried in all; then domains stay as they are
    std::uint64_t max_bytes = 64ULL << 20U;  ///< memory for that, given back afterwards
};

/// What becomes of parameters whose tree takes more than the limits.
enum class when_wide : std::uint8_t {
    estimate, ///< they are drawn without a tree, and counted approximately (wide_tree.hpp)
    refuse,   ///< attune::error names them and the constraints that tie them
};

/// How much work and memory a space may take. Visits instead of seconds, so that the same space is
/// built alike on every machine.
struct build_options {
    /// Values tried, all trees and all orders tried for them together; the default takes one to two
    /// seconds where a tree is wide.
    std::uint64_t max_visits = 24'000'000;
    /// Memory while a tree is built, its own and that of everything remembered to build it.
    std::uint64_t max_bytes = 256ULL << 20U;
    when_wide wide = when_wide::estimate;
    enumeration_limits enumeration; ///< before the trees are built
};

} // namespace attune::inline ATTUNE_ABI
