// tests/support/bowl.hpp - a plane with a constraint, and an objective whose lowest point is known.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/build_pack.hpp>

#include <cstdint>

namespace attune_test {

inline constexpr auto x = attune::ordinal<"X">(attune::range(0, 10));
inline constexpr auto y = attune::ordinal<"Y">(attune::range(0, 10));
inline constexpr auto plane = attune::space(x, y).where(x + y >= 5);

inline attune::chain_of_trees const& space()
{
    static attune::chain_of_trees const built = attune::build(plane, {});
    return built;
}
/// Number of (x, y) with 0 <= x, y <= 10 and x + y >= 5: 121 without the 15 below.
inline constexpr std::uint32_t all_points = 106;

/// Lowest at (7, 3), where it is 2.
inline attune::evaluation bowl(attune::point const& at)
{
    double const dx = static_cast<double>(at[0].index) - 7;
    double const dy = static_cast<double>(at[1].index) - 3;
    return 2 + dx * dx + 3 * dy * dy;
}

} // namespace attune_test
