// expect-error: attune: prior\(\.\.\.\) needs exactly one weight per value
// tests/compile_fail/prior_weight_count.cpp - a prior has one weight per value.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto believed = unroll.prior(1, 2, 3);
#else
inline constexpr auto believed = unroll.prior(1, 2, 3, 4);
#endif
