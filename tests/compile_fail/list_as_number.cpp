// expect-error: attune: a permutation or tile has several numbers; use p\[i\] or p\.position\(i\)
// tests/compile_fail/list_as_number.cpp - a permutation is several numbers.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto order = attune::permutation<"ORDER", 3>();

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto space = attune::space(order).where(order == 2);
#else
inline constexpr auto space = attune::space(order).where(order[0] == 2);
#endif
