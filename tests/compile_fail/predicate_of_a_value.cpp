// expect-error: attune: predicate\(p1, \.\.\., pn, f\): everything before the callable must be a
// parameter tests/compile_fail/predicate_of_a_value.cpp - a predicate names parameters, not values.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space =
    attune::space(tile_m, unroll).where(attune::predicate(8, [](int) { return true; }));
#else
inline constexpr auto space =
    attune::space(tile_m, unroll).where(attune::predicate(tile_m, [](int) { return true; }));
#endif
