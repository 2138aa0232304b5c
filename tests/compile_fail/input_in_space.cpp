// expect-error: attune: space\(\.\.\.\) takes parameters; constraints name the inputs
// tests/compile_fail/input_in_space.cpp - inputs are not listed in a space.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto n = attune::input<"N", int>();

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m, n).where(tile_m <= n);
#else
inline constexpr auto space = attune::space(tile_m).where(tile_m <= n);
#endif
