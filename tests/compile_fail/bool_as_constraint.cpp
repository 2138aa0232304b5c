// expect-error: attune: where\(\.\.\.\) takes comparisons of parameters and predicate
// tests/compile_fail/bool_as_constraint.cpp - a constraint is about parameters.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m, unroll).where(8 < 16);
#else
inline constexpr auto space = attune::space(tile_m, unroll).where(8 < tile_m);
#endif
