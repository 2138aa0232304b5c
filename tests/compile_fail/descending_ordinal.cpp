// expect-error: attune: an ordinal must ascend; sort it or use categorical
// tests/compile_fail/descending_ordinal.cpp - the values of an ordinal ascend.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(8, 4, 2));
#else
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(2, 4, 8));
#endif
