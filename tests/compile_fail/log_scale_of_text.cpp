// expect-error: attune: log_scale\(\) needs a parameter whose values are numbers
// tests/compile_fail/log_scale_of_text.cpp - a scale is for numbers.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto schedule = attune::categorical<"SCHEDULE">("static", "dynamic");

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto scaled = schedule.log_scale();
#else
inline constexpr auto scaled = attune::real<"RATE">(0.1, 1.0).log_scale();
#endif
