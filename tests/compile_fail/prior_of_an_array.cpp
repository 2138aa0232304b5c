// expect-error: attune: prior\(...\): a long permutation has too many values to weigh; for an array
// tests/compile_fail/prior_of_an_array.cpp - the elements of an array have a prior, not the array.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto cut = attune::ordinal<"CUT">(attune::values(1, 2, 4));
#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto cuts = attune::array_of<4>(cut).prior(1, 2, 3);
#else
inline constexpr auto cuts = attune::array_of<4>(cut.prior(1, 2, 3));
#endif
inline constexpr auto space = attune::space(cuts);
