// expect-error: attune: metric\(\) needs a permutation
// tests/compile_fail/metric_of_a_number.cpp - only orders have metrics.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
inline constexpr auto order = attune::permutation<"ORDER", 3>();

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m.metric(attune::order_distance::kendall), order);
#else
inline constexpr auto space = attune::space(tile_m, order.metric(attune::order_distance::kendall));
#endif
