// expect-error: attune: array_of<N>\(x\): x is a parameter whose values are numbers, texts or
// tests/compile_fail/array_of_lists.cpp - an array has no lists as elements.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto tiles = attune::array_of<4>(attune::tile<"TILE", 2>(64));
#else
inline constexpr auto tiles = attune::array_of<4>(attune::ordinal<"TILE">(attune::divisors_of(64)));
#endif
inline constexpr auto space = attune::space(tiles);
