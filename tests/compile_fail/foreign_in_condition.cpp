// expect-error: attune: active_if\(\.\.\.\): the condition reads a parameter that is not in this
// space
// tests/compile_fail/foreign_in_condition.cpp - a condition reads parameters of its own space.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto design = attune::categorical<"DESIGN">("plain", "packed");
inline constexpr auto width = attune::ordinal<"WIDTH">(attune::values(4, 8));
inline constexpr auto depth = attune::ordinal<"DEPTH">(attune::values(1, 2));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(width.active_if(design == "packed"), depth);
#else
inline constexpr auto space = attune::space(width.active_if(design == "packed"), design);
#endif
