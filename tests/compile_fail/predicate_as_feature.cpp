// expect-error: attune: features\(\.\.\.\) takes expressions over parameters
// tests/compile_fail/predicate_as_feature.cpp - a predicate has only answers.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space =
    attune::space(tile_m, unroll).features(attune::predicate(tile_m, [](int v) { return v > 8; }));
#else
inline constexpr auto space = attune::space(tile_m, unroll).features(tile_m > 8);
#endif
