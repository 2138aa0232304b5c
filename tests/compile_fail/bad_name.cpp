// expect-error: attune: a parameter name becomes a macro; use letters, digits and _
// tests/compile_fail/bad_name.cpp - a name becomes a macro.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto tile_m = attune::ordinal<"TILE-M">(attune::values(1, 2));
inline constexpr auto space = attune::space(tile_m).where(tile_m <= 4);
#else
inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::values(1, 2));
inline constexpr auto space = attune::space(tile_m).where(tile_m <= 4);
#endif
