// expect-error: attune: the extent of a tile must be positive
// tests/compile_fail/tile_of_nothing.cpp - the extent of a tile is positive.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto split = attune::tile<"SPLIT", 2>(0);
#else
inline constexpr auto split = attune::tile<"SPLIT", 2>(64);
#endif
