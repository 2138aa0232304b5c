// expect-error: attune: active_if\(\.\.\.\): the condition reads the parameter itself
// tests/compile_fail/condition_of_itself.cpp - whether a parameter counts is decided by others.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto design = attune::categorical<"DESIGN">("plain", "packed");
inline constexpr auto width = attune::ordinal<"WIDTH">(attune::values(4, 8));
inline constexpr auto depth = attune::ordinal<"DEPTH">(attune::values(1, 2));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto wide = width.active_if(width > 4);
#else
inline constexpr auto wide = width.active_if(depth > 1);
#endif
