// expect-error: attune: values\(\) is empty; a parameter needs a value
// tests/compile_fail/empty_values.cpp - an ordinal has a value.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values());
inline constexpr auto space = attune::space(unroll).where(unroll <= 4);
#else
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1));
inline constexpr auto space = attune::space(unroll).where(unroll <= 4);
#endif
