// expect-error: attune: features\(\.\.\.\): a feature is one number or a condition
// tests/compile_fail/order_as_feature.cpp - an order is several numbers.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
inline constexpr auto order = attune::permutation<"ORDER", 3>();

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile_m, order).features(order);
#else
inline constexpr auto space = attune::space(tile_m, order).features(order.position(0));
#endif
