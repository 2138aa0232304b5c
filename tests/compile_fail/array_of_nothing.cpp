// expect-error: attune: array_of<N>\(x\) needs 1 <= N <= 1024
// tests/compile_fail/array_of_nothing.cpp - an array has an element.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto cut = attune::array_of<0>(attune::integer<"CUT">(0, 9));
#else
inline constexpr auto cut = attune::array_of<1>(attune::integer<"CUT">(0, 9));
#endif
inline constexpr auto space = attune::space(cut);
