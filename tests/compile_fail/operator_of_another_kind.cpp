// expect-error: parameters of this kind do not have this operator
// tests/compile_fail/operator_of_another_kind.cpp - crossovers of orders are not for numbers.
// SPDX-License-Identifier: MIT
#include <attune/search/compose/composed.hpp>

namespace search = attune::search;

#ifdef ATTUNE_EXPECT_FAIL
search::operators<search::number<search::pmx>> const map{};
#else
search::operators<search::permutation<search::pmx>> const map{};
#endif
