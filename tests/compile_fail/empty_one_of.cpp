// expect-error: attune: one_of\(x\) has no values to compare with
// tests/compile_fail/empty_one_of.cpp - membership needs a list.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m).where(attune::one_of(tile_m));
#else
inline constexpr auto space = attune::space(tile_m).where(attune::one_of(tile_m, 8));
#endif
