// expect-error: attune: where\(\.\.\.\): a constraint reads a parameter that is not in this space
// tests/compile_fail/foreign_in_predicate.cpp - a predicate reads parameters of its own space.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m).where(
    attune::predicate(tile_m, unroll, [](int m, int u) { return m >= u; }));
#else
inline constexpr auto space =
    attune::space(tile_m, unroll).where(attune::predicate(tile_m, unroll, [](int m, int u) {
        return m >= u;
    }));
#endif
