// expect-error: a program only reads an array that attune::constant.. declares
// tests/compile_fail/nest_writes_constant.cpp - what is packed once is not written.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto w = attune::constant<"w", float, 8>();
#else
constexpr auto w = attune::array<"w", float, 8>();
#endif

constexpr auto program = declare_nest<"program">(w[i] += x[i]);
