// tests/search/bayes/start/child_wise.cpp : mirrors include/attune/search/bayes/start/child_wise.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/start/child_wise.hpp>

#include <attune/space/tree/tree.hpp>

#include <doctest/doctest.h>
#include <map>
#include <utility>

#include "../../../support/search_spaces.hpp"
#include "../../../support/searcher_trials.hpp"

TEST_CASE("child-wise draws choose each child of a node equally often, and so not each leaf")
{
    // a + b <= 4 with a in 0..2, b in 0..4: 5, 4 and 3 leaves below the three values of a.
    attune::chain_of_trees const space = search_spaces::constrained();
    REQUIRE(space.tree_at(0).parameters().front() == 0);
    attune::random_engine engine(1);
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> count;
    constexpr int draws = 36'000;
    for (int i = 0; i < draws; ++i) {
        attune::point const p = attune::detail::sample_child_wise(space, engine);
        REQUIRE(space.contains(p));
        count[{p[0].index, p[1].index}] += 1;
    }
    double chi_square = 0;
    for (auto const& [setting, n] : count) {
        double const expected = draws / 3.0 / (5.0 - setting.first);
        chi_square += (n - expected) * (n - expected) / expected;
    }
    CHECK(count.size() == 12);
    CHECK(chi_square < 31.3); // 99.9 % point of 11 degrees of freedom
    double const uniform = draws / 12.0;
    CHECK(count[{2, 0}] > 1.2 * uniform);
    CHECK(count[{0, 0}] < 0.9 * uniform);
}

TEST_CASE("child-wise draws of real parameters obey the constraints over them")
{
    attune::chain_of_trees const space = searcher_trials::every_kind();
    attune::random_engine engine(2);
    for (int i = 0; i < 500; ++i)
        CHECK(space.contains(attune::detail::sample_child_wise(space, engine)));
}
