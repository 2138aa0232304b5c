// expect-error: an axis is no index of an array by itself
// tests/compile_fail/nest_unknown_extent.cpp - each axis has an extent.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(y[j] = attune::sum(k)(x[j + k]));
#else
constexpr auto program = declare_nest<"program">(
    y[j] = attune::sum(attune::axis<"k", 3>())(x[j + attune::axis<"k", 3>()]));
#endif
