// expect-error: a whole number is beyond
// tests/compile_fail/nest_large_literal.cpp - a whole number of a formula is exact as a double.
// SPDX-License-Identifier: MIT
#include "../support/nest_arrays.hpp"

inline constexpr auto n = attune::array<"n", long, 6>();
inline constexpr auto to = attune::array<"to", long, 6>();

#ifdef ATTUNE_EXPECT_FAIL
auto const program = declare_nest<"program">(to[j] = n[j] * 9007199254740993L);
#else
auto const program = declare_nest<"program">(to[j] = n[j] * 9007199254740992L);
#endif
