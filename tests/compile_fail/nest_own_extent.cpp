// expect-error: "i: x 8, declared 6".*an axis is an index of two arrays with other extents
// tests/compile_fail/nest_own_extent.cpp - an axis with an extent of its own declares each prefix too.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

constexpr auto own = attune::axis<"i", 6>();
#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(y[own] = 2.0f * x[own]);
#else
constexpr auto program = declare_nest<"program">(y[own] = 2.0f * x[attune::prefix(own, 6)]);
#endif
