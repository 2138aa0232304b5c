// expect-error: attune: active_if\(\.\.\.\): conditions lead back to their own parameter
// tests/compile_fail/conditions_in_a_circle.cpp - some parameter is decided first.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto design = attune::categorical<"DESIGN">("plain", "packed");
inline constexpr auto width = attune::ordinal<"WIDTH">(attune::values(4, 8));
inline constexpr auto depth = attune::ordinal<"DEPTH">(attune::values(1, 2));

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(design.active_if(width > 4), width.active_if(depth > 1),
                                            depth.active_if(design == "packed"));
#else
inline constexpr auto space =
    attune::space(design.active_if(width > 4), width.active_if(depth > 1), depth);
#endif
