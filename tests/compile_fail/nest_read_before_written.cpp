// expect-error: a temporary is read, or continued by
// tests/compile_fail/nest_read_before_written.cpp - a temporary is written first.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = declare_nest<"program">(x[i] = t[i], t[i] = a[i][0]);
#else
constexpr auto program = declare_nest<"program">(t[i] = a[i][0], x[i] = t[i]);
#endif
