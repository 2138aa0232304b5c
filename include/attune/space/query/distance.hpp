// attune/space/query/distance.hpp - distances between configurations, and values one step away.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.1 and eq. (2), which combines the distances of the parameters. An inactive
//          parameter as one more value, equally far from all others: Hutter & Osborne 2013, Swersky
//          et al. 2014 (the arc kernel)
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/declare/point.hpp>

#include <cmath>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Distance of two values of one parameter, a metric in [0, 1]. 1 is the distance of the farthest
/// pair of its values; constraints have no effect.
///   real, integer, ordinal  difference; of logarithms on a logarithmic scale or a doubling range
///   categorical, boolean    0 or 1
///   permutation, tile       permutation_distance by the parameter's metric, tile_distance
///   one of them inactive    1; both: 0
/// @pre  both coordinates are inside the table or interval, or detail::inactive_place
[[nodiscard]] inline double parameter_distance(parameter_description const& parameter, coordinate a,
                                               coordinate b)
{
    if (parameter.is_conditional() && (a.index == no_index || b.index == no_index))
        return a.index == b.index ? 0 : 1;
    return detail::rules_of(parameter.kind).distance(parameter, a, b);
}

namespace detail {

/// distances() of configurations from with_inactive_marked().
[[nodiscard]] inline std::vector<double> marked_distances(description const& space, point const& a,
                                                          point const& b)
{
    ATTUNE_ASSERT(a.size() == space.parameters.size() && b.size() == a.size(),
                  "a point has one coordinate per parameter");
    std::vector<double> out(a.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = parameter_distance(space.parameters[i], a[i], b[i]);
    return out;
}

[[nodiscard]] inline double norm(std::vector<double> const& distances)
{
    double sum = 0;
    for (double const d : distances)
        sum += d * d;
    return std::sqrt(sum);
}

/// distance() of configurations from with_inactive_marked(), for many pairs.
[[nodiscard]] inline double marked_distance(description const& space, point const& a,
                                            point const& b)
{
    return norm(marked_distances(space, a, b));
}

} // namespace detail

/// parameter_distance for every parameter of `space`, in order of declaration.
/// @param space  of a chain of trees, if parameters are conditional
[[nodiscard]] inline std::vector<double> distances(description const& space, point const& a,
                                                   point const& b)
{
    if (!detail::has_conditions(space)) return detail::marked_distances(space, a, b);
    return detail::marked_distances(space, detail::with_inactive_marked(space, a),
                                    detail::with_inactive_marked(space, b));
}

/// The Euclidean norm of distances(): BaCO eq. (2) with all length scales 1.
[[nodiscard]] inline double distance(description const& space, point const& a, point const& b)
{
    return detail::norm(distances(space, a, b));
}

namespace detail {

/// Calls `try_step(coordinate) -> bool` for values near `at`.
///   integer, ordinal      up and down, one value after the other, until `try_step` returns true
///   categorical, boolean  each other value
///   permutation           each swap of two items, as in BaCO's local search
///   tile                  each move of a prime factor
///   real                  real_step of the scale up, and down
/// @pre  `at` is inside the parameter's table or interval
template <class TryStep>
void for_each_step(parameter_description const& parameter, coordinate at, TryStep&& try_step)
{
    using function = std::remove_reference_t<TryStep>;
    step_taker const taker{
        const_cast<void*>(static_cast<void const*>(std::addressof(try_step))),
        [](void* self, coordinate step) -> bool { return (*static_cast<function*>(self))(step); }};
    rules_of(parameter.kind).steps(parameter, at, taker);
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
