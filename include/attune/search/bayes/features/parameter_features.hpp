// attune/search/bayes/features/parameter_features.hpp - the features of a parameter.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.1 (distances, transformed). An inactive parameter as one point apart from its
//          values: Hutter & Osborne 2013, Swersky et al. 2014 (the arc kernel), which bend the line
//          of the values so that the point is equally far from all; here the values stay as they
//          are, and the point stands above their middle
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/bayes/features/feature_options.hpp>
#include <attune/search/bayes/features/level_scale.hpp>
#include <attune/space/tree/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One parameter, or one part of it, as a feature.
struct parameter_feature {
    /// The part of a coordinate that is read.
    enum class reading : std::uint8_t {
        index,    ///< the level is the rank of the value among those that occur
        real,     ///< a point of an interval on its scale: continuous
        plain,    ///< a point of an interval by difference: continuous
        number,   ///< the number at the index: continuous
        position, ///< the place of item `part` of a permutation is the level
        factor,   ///< factor `part` of a tile, by `scale`
        item,     ///< as position, of a long permutation, which is a group
    };

    std::string name;
    std::uint32_t parameter = 0;
    reading read = reading::index;
    std::uint32_t part = 0;
    std::uint32_t levels = 0;
    std::vector<std::uint32_t> of_index; ///< level of each value; empty if all values occur
    std::size_t dimensions = 0;          ///< numbers per level in `places`; 0: nominal
    std::vector<double> places;          ///< level by level
    level_scale scale;                   ///< of factors
    spacing on = spacing::linear;        ///< of continuous numbers; `low` and `high` are so spaced
    double low = 0;
    double high = 0;
    /// The parameter is conditional: the last level stands for an inactive one, at distance 1 from
    /// the farthest value of the parameter (on a line at least 0.86 from all). A continuous feature
    /// has it at 0.5.
    bool has_inactive = false;

    /// @pre  not continuous
    [[nodiscard]] std::uint32_t level_at(parameter_description const& p, coordinate at) const;
    /// Position of a continuous feature, in [0, 1].
    [[nodiscard]] double position_at(parameter_description const& p, coordinate at) const;
};

/// How the values of parameters are laid out.
struct parameter_layout {
    value_places places = value_places::logarithmic;
    double step = 0; ///< between values of a table that are ranked
};

/// The features of parameter `index`: one; none when a single value occurs; one per part for
/// permutations and tiles of more than `most` values. Conditional parameters have one level more.
/// @param occurs  for each value of the table whether it is in a valid configuration; not read for
///                real parameters
[[nodiscard]] std::vector<parameter_feature>
features_of(description const& space, std::uint32_t index, std::vector<bool> const& occurs,
            std::uint32_t most, parameter_layout layout = {});

/// From this number of values on, a parameter in no constraint is not listed value by value.
inline constexpr std::uint32_t most_listed_values = std::uint32_t{1} << 20U;

/// features_of() a parameter with more values than most_listed_values in no constraint: its numbers
/// continuous, or one feature per part.
/// @param values  its tree
[[nodiscard]] std::vector<parameter_feature> features_of_many(description const& space,
                                                              std::uint32_t index,
                                                              tree const& values,
                                                              parameter_layout layout = {});

/// One feature per item of a long permutation: its place.
[[nodiscard]] std::vector<parameter_feature> features_of_items(group_description const& order);

/// The place of each item of an order.
[[nodiscard]] std::vector<std::uint32_t> places_of_items(std::span<std::uint16_t const> order);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/features/parameter_features.ipp>
#endif
