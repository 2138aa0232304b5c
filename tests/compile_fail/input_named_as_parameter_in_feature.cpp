// expect-error: attune: features\(\.\.\.\): an input has the name of a parameter
// tests/compile_fail/input_named_as_parameter_in_feature.cpp - names are unique.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto foreign = attune::input<"UNROLL", int>();

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m, unroll).features(foreign % tile_m);
#else
inline constexpr auto space = attune::space(tile_m, unroll).features(n % tile_m);
#endif
