// expect-error: n is not the extent of the axis
// tests/compile_fail/nest_prefix.cpp - the length of a prefix is the extent of its axis.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(y[i] = x[attune::prefix(i, 5)]);
#else
constexpr auto program = declare_nest<"program">(y[i] = x[attune::prefix(i, 6)]);
#endif
