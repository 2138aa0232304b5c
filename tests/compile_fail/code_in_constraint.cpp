// expect-error: a quantity of code, such as registers, is known only after its compilation
// tests/compile_fail/code_in_constraint.cpp - the space is built before anything is compiled.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(tile, unroll).where(tile * attune::registers <= 65536);
#else
inline constexpr auto space = attune::space(tile, unroll).where(tile * unroll <= 65536);
#endif
