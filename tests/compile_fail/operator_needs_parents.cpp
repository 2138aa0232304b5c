// expect-error: an operator needs more parents than the base promises
// tests/compile_fail/operator_needs_parents.cpp - a base gives an operator the parents that it needs.
// SPDX-License-Identifier: MIT
#include <attune/search/compose/composed.hpp>

namespace search = attune::search;

#ifdef ATTUNE_EXPECT_FAIL
using operator_type = search::pmx; // of three configurations
#else
using operator_type = search::random_swap; // of two
#endif
template class search::composed<search::uniform_greedy_mutation,
                                search::operators<search::permutation<operator_type>>>;
