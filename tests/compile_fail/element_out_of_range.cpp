// expect-error: attune: p\[i\], p\.position\(i\): i is not below the number of parts of p
// tests/compile_fail/element_out_of_range.cpp - a tile of 2 has the factors 0 and 1.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto split = attune::tile<"SPLIT", 2>(64);

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto inner = split[2];
#else
inline constexpr auto inner = split[1];
#endif
