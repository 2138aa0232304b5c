// expect-error: attune: a categorical lists the same value twice
// tests/compile_fail/repeated_categorical.cpp - a choice is listed once.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto width = attune::categorical<"WIDTH">(4, 8, 4);
#else
inline constexpr auto width = attune::categorical<"WIDTH">(4, 8, 16);
#endif
