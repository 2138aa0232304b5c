// expect-error: attune: values\(\.\.\.\) mixes types; write values\(1\.0, 2\.5\)
// tests/compile_fail/mixed_values.cpp - the values of an ordinal have one type.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto factor = attune::ordinal<"FACTOR">(attune::values(1, 1.5));
inline constexpr auto space = attune::space(factor).where(factor <= 4);
#else
inline constexpr auto factor = attune::ordinal<"FACTOR">(attune::values(1.0, 1.5));
inline constexpr auto space = attune::space(factor).where(factor <= 4);
#endif
