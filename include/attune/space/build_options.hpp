// attune/space/build_options.hpp - how much building a space may cost.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> [space] -> search -> compile -> measure -> remember
// In       nothing
// Out      limits with defaults that suit kernels
// Source   own
// Depends  std only
// Tests    tests/space/build_options.cpp
#pragma once

#include <cstdint>

namespace attune {

/// How many settings of a condition's parameters are enumerated to filter their domains.
struct enumeration_limits {
    std::uint64_t settings = 4096;           ///< always worth it up to here
    std::uint64_t wide_settings = 3'000'000; ///< if one parameter has wide_values or more, since
    std::uint32_t wide_values = 64;          ///< most of them may be impossible
};

/// How much work and memory a space may take before attune gives up on it.
struct build_options {
    std::uint64_t max_visits = 10'000'000; ///< values tried per tree; about 1 s in all
    std::uint64_t max_nodes = 4'000'000;   ///< values kept per tree, 24 bytes each
    enumeration_limits enumeration;        ///< before the trees are built
};

} // namespace attune
