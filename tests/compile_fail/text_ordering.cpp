// expect-error: attune: < <= > >= need numbers; text can only be compared with == and !=
// tests/compile_fail/text_ordering.cpp - text has no order.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto schedule = attune::categorical<"SCHEDULE">("static", "dynamic");

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(schedule).where(schedule < "static");
#else
inline constexpr auto space = attune::space(schedule).where(schedule != "static");
#endif
