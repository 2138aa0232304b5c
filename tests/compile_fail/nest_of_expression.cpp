// expect-error: takes statements: C.i..j. = ...
// tests/compile_fail/nest_of_expression.cpp - a program is made of statements.
// SPDX-License-Identifier: MIT
#include <attune/tune/program/nest.hpp>

constexpr auto i = attune::axis<"i">();
constexpr auto x = attune::array<"x", float, 8>();
constexpr auto y = attune::array<"y", float, 8>();

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = attune::nest<"program">(y[i] + x[i]);
#else
constexpr auto program = attune::nest<"program">(y[i] += x[i]);
#endif
