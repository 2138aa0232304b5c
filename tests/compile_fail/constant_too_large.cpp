// expect-error: attune: this constant does not fit in 64 signed bits
// tests/compile_fail/constant_too_large.cpp - constants are 64 signed bits.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m).where(tile_m < 18446744073709551615ULL);
#else
inline constexpr auto space = attune::space(tile_m).where(tile_m < 9223372036854775807ULL);
#endif
