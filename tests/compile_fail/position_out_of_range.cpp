// expect-error: attune: p\[i\], p\.position\(i\): i is not below the number of parts of p
// tests/compile_fail/position_out_of_range.cpp - a permutation of 3 has the items 0, 1 and 2.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto order = attune::permutation<"ORDER", 3>();

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto innermost = order.position(3);
#else
inline constexpr auto innermost = order.position(2);
#endif
