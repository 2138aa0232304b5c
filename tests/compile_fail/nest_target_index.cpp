// expect-error: each of them another axis
// tests/compile_fail/nest_target_index.cpp - what is written has axes as indices.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(x[i + 1] = a[i][0]);
#else
constexpr auto program = declare_nest<"program">(x[i] = a[i][0]);
#endif
