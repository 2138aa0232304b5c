// expect-error: "i: x 8, y 6".*an axis is an index of two arrays with other extents
// tests/compile_fail/nest_one_extent.cpp - reading a part of an array along the axis of what is written is declared.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(y[i] = 2.0f * x[i]);
#else
constexpr auto program = declare_nest<"program">(y[i] = 2.0f * x[attune::prefix(i, 6)]);
#endif
