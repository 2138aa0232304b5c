// expect-error: attune: && \|\| ! need conditions; write \(x != 0\) to use a number as one
// tests/compile_fail/number_in_logic.cpp - logic joins conditions.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m, unroll).where(tile_m && unroll < 4);
#else
inline constexpr auto space = attune::space(tile_m, unroll).where(tile_m != 0 && unroll < 4);
#endif
