// expect-error: with_arguments.* names each array that is no temporary
// tests/compile_fail/nest_with_arguments.cpp - the arguments of a program are all that it takes.
// SPDX-License-Identifier: MIT
#include <attune/tune/program/nest.hpp>

constexpr auto n = attune::input<"n", int>();
constexpr auto i = attune::axis<"i">();
constexpr auto x = attune::array<"x", float, n>();
constexpr auto y = attune::array<"y", float, n>();

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = attune::nest<"program">(y[i] = 2.0f * x[i]).with_arguments(n, y);
#else
constexpr auto program = attune::nest<"program">(y[i] = 2.0f * x[i]).with_arguments(n, y, x);
#endif
