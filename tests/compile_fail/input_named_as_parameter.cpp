// expect-error: attune: where\(\.\.\.\): an input has the name of a parameter
// tests/compile_fail/input_named_as_parameter.cpp - an input is told apart from every parameter.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto limit = attune::input<"TILE_M", int>();
#else
inline constexpr auto limit = attune::input<"LIMIT", int>();
#endif
inline constexpr auto space = attune::space(tile_m).where(tile_m <= limit);
