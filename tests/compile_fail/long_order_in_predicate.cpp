// expect-error: attune: predicate\(...\): a permutation of more than 12 items is not read
// tests/compile_fail/long_order_in_predicate.cpp - only short orders are given to predicates.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#ifdef ATTUNE_EXPECT_FAIL
inline constexpr auto order = attune::permutation<"ORDER", 13>();
#else
inline constexpr auto order = attune::permutation<"ORDER", 12>();
#endif
inline constexpr auto rule =
    attune::predicate(order, [](auto const& items) { return items[0] == 0; });
