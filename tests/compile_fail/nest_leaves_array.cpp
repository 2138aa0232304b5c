// expect-error: an index leaves its array
// tests/compile_fail/nest_leaves_array.cpp - an index stays in its array.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
auto const program = declare_nest<"program">(y[j] = x[j + 3]);
#else
auto const program = declare_nest<"program">(y[j] = x[j + 2]);
#endif
