// expect-error: attune: where\(\.\.\.\): this is a number, not a condition; compare it with
// something tests/compile_fail/number_as_constraint.cpp - a constraint is a condition.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m, unroll).where(tile_m % unroll);
#else
inline constexpr auto space = attune::space(tile_m, unroll).where(tile_m % unroll == 0);
#endif
