// expect-error: attune: active_if\(...\): a permutation of more than 12 items is always active
// tests/compile_fail/long_order_condition.cpp - only short orders may be inactive.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto on = attune::boolean<"ON">();
#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto order = attune::permutation<"ORDER", 13>();
#else
inline constexpr auto order = attune::permutation<"ORDER", 12>();
#endif
inline constexpr auto space = attune::space(on, order.active_if(on));
