// expect-error: attune: the end of a range is a whole number or an input
// tests/compile_fail/real_bound.cpp - whole numbers bound a range.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(8, 256.0));
#else
inline constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(8, 256));
#endif
