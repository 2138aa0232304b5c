// expect-error: an array has more dimensions than it is given indices
// tests/compile_fail/nest_missing_index.cpp - all dimensions have an index.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(x[i] = 2 * c[i]);
#else
constexpr auto program = declare_nest<"program">(x[i] = 2 * a[i][0]);
#endif
