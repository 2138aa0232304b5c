// expect-error: attune: chained comparison; write \(a <= b && b <= c\)
// tests/compile_fail/chained_comparison.cpp - a comparison has two sides.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m, unroll).where(8 <= tile_m <= 64);
#else
inline constexpr auto space = attune::space(tile_m, unroll).where(8 <= tile_m && tile_m <= 64);
#endif
