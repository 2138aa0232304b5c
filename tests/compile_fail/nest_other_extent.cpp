// expect-error: "k: y 6, a 4".*an axis is an index of two arrays with other extents
// tests/compile_fail/nest_other_extent.cpp - shapes fit.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(c[i][j] = attune::sum(k)(a[i][k] * y[k]));
#else
constexpr auto program = declare_nest<"program">(c[i][j] = attune::sum(k)(a[i][k] * b[k][j]));
#endif
