// expect-error: attune: predicate\(p1, \.\.\., pn, f\): f must take one value of each parameter
// tests/compile_fail/predicate_types.cpp - a predicate takes the types that its parameters declare.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto schedule = attune::categorical<"SCHEDULE">("static", "dynamic");

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space =
    attune::space(tile_m, schedule).where(attune::predicate(schedule, [](int s) {
        return s == 0;
    }));
#else
inline constexpr auto space =
    attune::space(tile_m, schedule).where(attune::predicate(schedule, [](std::string_view s) {
        return s.empty();
    }));
#endif
