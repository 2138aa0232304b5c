// expect-error: attune: selector<"X", N>\(cut-offs, a\.\.\.\) takes algorithms
// tests/compile_fail/selector_of_names.cpp - a selector chooses algorithms.
// SPDX-License-Identifier: MIT
#include <attune/declare/selector.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto sort =
    attune::selector<"SORT", 2>(attune::values(8, 64), "insertion", "merge");
#else
inline constexpr auto sort = attune::selector<"SORT", 2>(
    attune::values(8, 64), attune::algorithm("insertion"), attune::algorithm("merge"));
#endif
inline constexpr auto space = attune::space(sort);
