// expect-error: attune: space\(\) is empty; list its parameters
// tests/compile_fail/empty_space.cpp - a space has a parameter.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space();
#else
inline constexpr auto space = attune::space(tile_m);
#endif
