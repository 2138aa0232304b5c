// expect-error: attune: algorithm\(name, p\.\.\.\): p is active where the algorithm is chosen
// tests/compile_fail/selector_of_condition.cpp - a parameter of an algorithm has no other condition.
// SPDX-License-Identifier: MIT
#include <attune/declare/selector.hpp>

inline constexpr auto flag = attune::boolean<"FLAG">();
inline constexpr auto ways = attune::ordinal<"WAYS">(attune::values(2, 4));
#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto merge = attune::algorithm("merge", ways.active_if(flag));
#else
inline constexpr auto merge = attune::algorithm("merge", ways);
#endif
inline constexpr auto sort =
    attune::selector<"SORT", 2>(attune::values(8, 64), attune::algorithm("insertion"), merge);
inline constexpr auto space = attune::space(sort, flag);
