// expect-error: attune: a permutation of more than 12 items is not read by constraints
// tests/compile_fail/long_order_in_constraint.cpp - only short orders are read by expressions.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto order = attune::permutation<"ORDER", 13>();
#else
inline constexpr auto order = attune::permutation<"ORDER", 12>();
#endif
inline constexpr auto space = attune::space(order).where(order[0] == 0);
