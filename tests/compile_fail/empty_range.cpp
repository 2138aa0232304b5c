// expect-error: attune: this range is empty; its end is below its start
// tests/compile_fail/empty_range.cpp - a range ends at or above its start.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto tile = attune::ordinal<"TILE">(attune::range(64, 8));
#else
inline constexpr auto tile = attune::ordinal<"TILE">(attune::range(8, 64));
#endif
