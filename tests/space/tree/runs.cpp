// tests/space/tree/runs.cpp : mirrors include/attune/space/tree/runs.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/tree/runs.hpp>

#include <doctest/doctest.h>
#include <vector>

using attune::detail::tree_of_runs;

TEST_CASE("a whole table is one run, however short or long")
{
    for (std::uint32_t const count : {1U, 5U, 4'000'000'000U}) {
        auto const made = tree_of_runs(3, attune::detail::domain(count));
        REQUIRE(made);
        CHECK(made->leaves() == count);
        CHECK(made->node_count() == 0);
        CHECK(made->parameters()[0] == 3);
        CHECK(made->run_value(count - 1) == count - 1);
    }
}

TEST_CASE("many values of a table are kept as runs, few are left to nodes")
{
    attune::detail::domain left(1'000'000);
    std::vector<bool> keep(1'000'000);
    for (std::size_t v = 0; v < keep.size(); ++v)
        keep[v] = v % 10 < 7;
    left.filter(keep);
    auto const made = tree_of_runs(0, left);
    REQUIRE(made);
    CHECK(made->leaves() == 700'000);
    for (std::uint32_t leaf = 0; leaf < 700'000; leaf += 333) {
        CHECK(made->run_value(leaf) == leaf / 7 * 10 + leaf % 7);
        CHECK(made->leaf_of(attune::point{{left.value(leaf), 0}}) == attune::leaf_count{leaf});
    }
    CHECK_FALSE(made->leaf_of(attune::point{{17, 0}}));
    attune::detail::domain few(100);
    std::vector<bool> odd(100);
    for (std::size_t v = 1; v < odd.size(); v += 2)
        odd[v] = true;
    few.filter(odd);
    CHECK_FALSE(tree_of_runs(0, few));
}
