// expect-error: attune: features\(\.\.\.\): a feature reads a parameter that is not in this space
// tests/compile_fail/foreign_in_feature.cpp - a feature reads parameters of its own space.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m).features(tile_m * unroll);
#else
inline constexpr auto space = attune::space(tile_m, unroll).features(tile_m * unroll);
#endif
