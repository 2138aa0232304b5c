// expect-error: attune: only a whole-number input can bound a range
// tests/compile_fail/real_input_as_bound.cpp - whole numbers bound a range.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto limit = attune::input<"LIMIT", double>();
inline constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(8, limit));
#else
inline constexpr auto limit = attune::input<"LIMIT", int>();
inline constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(8, limit));
#endif
