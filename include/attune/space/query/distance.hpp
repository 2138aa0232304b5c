// attune/space/query/distance.hpp - distances between configurations.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.1 and eq. (2), which combines the distances of the parameters
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/kind/kind_rules.hpp>
#include <attune/declare/kind/list_distance.hpp>
#include <attune/declare/point.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Distance of two values of one parameter: in [0, 1], 1 for the farthest pair of its domain,
/// without regard to constraints. A metric.
///   real, integer, ordinal  difference; of logarithms on a logarithmic scale or a doubling range
///   categorical, boolean    0 or 1
///   permutation, tile       permutation_distance by the parameter's metric, tile_distance
/// @pre  both coordinates are inside the table or interval
[[nodiscard]] inline double
parameter_distance(parameter_description const& parameter, coordinate a, coordinate b)
{
    return detail::rules_of(parameter.kind).distance(parameter, a, b);
}

/// parameter_distance for every parameter of `space`, in order of declaration.
[[nodiscard]] inline std::vector<double>
distances(description const& space, point const& a, point const& b)
{
    ATTUNE_ASSERT(a.size() == space.parameters.size() && b.size() == a.size(),
                  "a point has one coordinate per parameter");
    std::vector<double> out(a.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = parameter_distance(space.parameters[i], a[i], b[i]);
    return out;
}

/// The Euclidean norm of distances(): BaCO eq. (2) with all length scales 1.
[[nodiscard]] inline double distance(description const& space, point const& a, point const& b)
{
    double sum = 0;
    for (double const d : distances(space, a, b))
        sum += d * d;
    return std::sqrt(sum);
}

} // namespace attune::inline ATTUNE_ABI
