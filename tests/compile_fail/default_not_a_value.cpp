// expect-error: attune: with_default\(v\): v is not a value of this parameter
// tests/compile_fail/default_not_a_value.cpp - a default is one of the values.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto started = tile_m.with_default(48);
#else
inline constexpr auto started = tile_m.with_default(64);
#endif
