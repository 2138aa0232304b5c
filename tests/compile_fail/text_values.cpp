// expect-error: attune: values\(\.\.\.\) takes numbers; use categorical for text, bool and enum
// tests/compile_fail/text_values.cpp - the values of an ordinal are numbers.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto schedule = attune::ordinal<"SCHEDULE">(attune::values("a", "b"));
inline constexpr auto space = attune::space(schedule);
#else
inline constexpr auto schedule = attune::categorical<"SCHEDULE">("a", "b");
inline constexpr auto space = attune::space(schedule);
#endif
