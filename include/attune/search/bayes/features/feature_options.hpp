// attune/search/bayes/features/feature_options.hpp - which features a configuration has for a model.
// SPDX-License-Identifier: MIT
//
// tested by search/bayes/features/feature_map.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI {

/// Where the values of a parameter stand on a line from 0 to 1.
enum class value_places : std::uint8_t {
    /// Numbers by their logarithm where all are above 0, else by difference.
    logarithmic,
    /// Numbers by difference, points of intervals too.
    linear,
    /// As `linear`, but numbers and choices with a table stand one step from the next in that
    /// table; the step is 1 over the length of the longest table (Kernel Tuner's normalisation).
    ranked,
};

/// The features that a feature_map makes.
struct feature_options {
    value_places places = value_places::logarithmic; ///< not of tiles and permutations
    std::optional<order_distance> orders{};          ///< instead of each permutation's own metric
    bool from_constraints = true;                    ///< sides of comparisons, ratios, flags
    bool from_alignment = true;                      ///< how often 2 divides a whole number
    bool from_user = true;                           ///< those declared with features(...)
    std::size_t max_derived = 32; ///< the user's first, then in order of declaration
    /// Derived features with more distinct values are rounded to this many levels.
    std::uint32_t max_derived_levels = 60;
    /// Spaces of at most this many points are enumerated to find the values that occur; from larger
    /// ones, and those with real parameters, `sample` points are drawn.
    std::size_t enumerate = 32768;
    std::size_t sample = 4096;
    std::uint64_t seed = 1; ///< of these draws
};

} // namespace attune::inline ATTUNE_ABI
