// expect-error: an axis of the value is no index of what is written
// tests/compile_fail/nest_free_axis.cpp - what is not written is reduced.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(x[i] = a[i][k]);
#else
constexpr auto program = declare_nest<"program">(x[i] += a[i][k]);
#endif
