// expect-error: two statements write one array
// tests/compile_fail/nest_written_twice.cpp - an array is written once.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(x[i] = a[i][0], x[i] = a[i][1]);
#else
constexpr auto program = declare_nest<"program">(t[i] = a[i][0], x[i] = a[i][1] + t[i]);
#endif
