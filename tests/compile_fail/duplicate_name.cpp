// expect-error: attune: space\(\.\.\.\): two parameters have the same name
// tests/compile_fail/duplicate_name.cpp - one name stands for one parameter.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto other = attune::ordinal<"TILE_M">(attune::values(1, 2));
inline constexpr auto space = attune::space(tile_m, other).where(tile_m <= 64);
#else
inline constexpr auto other = attune::ordinal<"TILE_N">(attune::values(1, 2));
inline constexpr auto space = attune::space(tile_m, other).where(tile_m <= 64);
#endif
