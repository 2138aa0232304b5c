// expect-error: attune: categorical<.?"X.?">\(\) is empty; a parameter needs a value
// tests/compile_fail/empty_categorical.cpp - a categorical has a choice.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto schedule = attune::categorical<"SCHEDULE">();
inline constexpr auto space = attune::space(schedule);
#else
inline constexpr auto schedule = attune::categorical<"SCHEDULE">("static");
inline constexpr auto space = attune::space(schedule);
#endif
