// expect-error: attune: metric\(...\): orders of more than 12 items are compared digit by digit
// tests/compile_fail/long_order_metric.cpp - only short orders have a metric.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto order = attune::permutation<"ORDER", 13>();
#else
inline constexpr auto order = attune::permutation<"ORDER", 12>();
#endif
inline constexpr auto space = attune::space(order.metric(attune::order_distance::kendall));
