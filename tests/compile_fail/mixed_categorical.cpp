// expect-error: attune: categorical<.?"X.?">\(\.\.\.\) takes strings, whole numbers or values of
// one enum tests/compile_fail/mixed_categorical.cpp - the choices of a categorical are of one kind.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto schedule = attune::categorical<"SCHEDULE">("static", 1);
inline constexpr auto space = attune::space(schedule);
#else
inline constexpr auto schedule = attune::categorical<"SCHEDULE">("static", "1");
inline constexpr auto space = attune::space(schedule);
#endif
