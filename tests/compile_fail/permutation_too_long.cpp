// expect-error: attune: permutation<.?"X.?", N> needs 1 <= N <= 1024
// tests/compile_fail/permutation_too_long.cpp - a permutation has at most 1,024 items.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto order = attune::permutation<"ORDER", 1025>();
#else
inline constexpr auto order = attune::permutation<"ORDER", 1024>();
#endif
