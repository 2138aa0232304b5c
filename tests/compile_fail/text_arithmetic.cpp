// expect-error: attune: arithmetic needs numbers; text can only be compared with == and !=
// tests/compile_fail/text_arithmetic.cpp - text does not add.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto schedule = attune::categorical<"SCHEDULE">("static", "dynamic");

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(schedule).where(schedule + 1 == 2);
#else
inline constexpr auto space = attune::space(schedule).where(schedule == "static");
#endif
