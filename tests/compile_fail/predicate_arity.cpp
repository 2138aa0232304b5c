// expect-error: attune: predicate\(p1, \.\.\., pn, f\): f must take one value of each parameter
// tests/compile_fail/predicate_arity.cpp - a predicate takes one value per parameter.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space =
    attune::space(tile_m, unroll).where(attune::predicate(tile_m, unroll, [](int m) {
        return m >= 8;
    }));
#else
inline constexpr auto space =
    attune::space(tile_m, unroll).where(attune::predicate(tile_m, unroll, [](int m, int) {
        return m >= 8;
    }));
#endif
