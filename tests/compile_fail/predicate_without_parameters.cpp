// expect-error: attune: predicate\(p1, \.\.\., pn, f\) takes at least one parameter and a callable
// tests/compile_fail/predicate_without_parameters.cpp - a predicate is about parameters.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space =
    attune::space(tile_m, unroll).where(attune::predicate([] { return true; }));
#else
inline constexpr auto space =
    attune::space(tile_m, unroll).where(attune::predicate(tile_m, [](int) { return true; }));
#endif
