// attune/search/bayes/model_options.hpp - what a model sees: features of configurations, transformed values.
// SPDX-License-Identifier: MIT
// tested by search/bayes/features/feature_map.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI {

/// Compression of values before they are standardised.
struct objective_options {
    bool logarithm = true;   ///< if every value is positive
    double bend_spans = 1;   ///< compression begins at median + this * (median - best)
    double bent_slope = 0.3; ///< slope beyond, in (0, 1]
    double unit = 0;         ///< the model's unit, of logarithms; 0: the deviation of the values
};

/// Places of the values of a parameter on a line from 0 to 1.
enum class value_places : std::uint8_t {
    /// Numbers by logarithm if all are above 0, else by difference.
    logarithmic,
    /// Numbers by difference, also points of intervals.
    linear,
    /// Like `linear`, but numbers and choices of a table are one step apart. The step is 1 over the
    /// length of the longest table (Kernel Tuner's normalisation).
    ranked,
};

/// The features that a feature_map makes.
struct feature_options {
    value_places places = value_places::logarithmic; ///< not for tiles and permutations
    std::optional<order_distance> orders{};          ///< replaces the metric of each permutation
    bool from_constraints = true;                    ///< sides of comparisons, ratios, flags
    bool from_alignment = true;                      ///< how many times 2 divides a whole number
    bool from_user = true;        ///< features that the user declared with features(...)
    std::size_t max_derived = 32; ///< the user's come first, then in order of declaration
    /// Derived features with more distinct values are rounded to this many levels.
    std::uint32_t max_derived_levels = 60;
    /// Spaces of at most this many points are enumerated to find the values that occur; from larger
    /// ones, and those with real parameters, `sample` points are drawn.
    std::size_t enumerate = 32768;
    std::size_t sample = 4096;
    std::uint64_t seed = 1; ///< of these draws
};

} // namespace attune::inline ATTUNE_ABI
