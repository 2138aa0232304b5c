// expect-error: attune: features\(\.\.\.\): a feature is one number or a condition
// tests/compile_fail/text_as_feature.cpp - a text is no number.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
inline constexpr auto mode = attune::categorical<"MODE">("fast", "safe");

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m, mode).features(mode);
#else
inline constexpr auto space = attune::space(tile_m, mode).features(mode == "fast");
#endif
