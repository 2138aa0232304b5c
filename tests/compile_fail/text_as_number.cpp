// expect-error: attune: == compares a number with a number or a text with a text
// tests/compile_fail/text_as_number.cpp - text is compared with text.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto schedule = attune::categorical<"SCHEDULE">("static", "dynamic");

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(schedule).where(schedule == 3);
#else
inline constexpr auto space = attune::space(schedule).where(schedule == "static");
#endif
