// expect-error: an array has fewer dimensions than it is given indices
// tests/compile_fail/nest_extra_index.cpp - no dimension has two indices.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(c[i][j] = x[i][j]);
#else
constexpr auto program = declare_nest<"program">(c[i][j] = x[i] * y[j]);
#endif
