// expect-error: prefix.i, n. is an index by itself, and no part of a sum
// tests/compile_fail/nest_prefix_in_sum.cpp - no sum drops the length of a prefix.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(y[i] = x[attune::prefix(i, 999) + 0]);
#else
constexpr auto program = declare_nest<"program">(y[i] = x[attune::prefix(i, 6)]);
#endif
