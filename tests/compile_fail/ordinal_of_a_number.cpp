// expect-error: attune: ordinal<.?"X.?">\(\.\.\.\) takes values
// tests/compile_fail/ordinal_of_a_number.cpp - an ordinal is made of a domain.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto unroll = attune::ordinal<"UNROLL">(4);
inline constexpr auto space = attune::space(unroll);
#else
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(4));
inline constexpr auto space = attune::space(unroll);
#endif
