// expect-error: an index is a sum of axes
// tests/compile_fail/nest_index_not_affine.cpp - indices are known before the arrays are.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(x[i] = a[i][x[i]]);
#else
constexpr auto program = declare_nest<"program">(x[i] = a[i][3]);
#endif
