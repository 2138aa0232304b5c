// tests/search/random.cpp : mirrors include/attune/search/random.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/random.hpp>

#include <attune/core/error.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../laws/searcher.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::random_searcher);

TEST_CASE("random_searcher asks every point first equally often")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    std::size_t const points = static_cast<std::size_t>(*space.size());
    std::vector<double> count(points, 0);
    int const seeds = 7200;
    for (int seed = 0; seed < seeds; ++seed) {
        attune::random_searcher s(space, static_cast<std::uint64_t>(seed));
        attune::point const first = s.ask(1).front();
        for (std::size_t i = 0; i < points; ++i)
            if (space.at(std::uint64_t{i}) == first) count[i] += 1;
    }
    double const expected = seeds / static_cast<double>(points);
    double chi_square = 0;
    for (double const c : count)
        chi_square += (c - expected) * (c - expected) / expected;
    CHECK(chi_square < 66.6); // 99.9 % point of 35 degrees of freedom
}

TEST_CASE("different seeds give different sequences")
{
    attune::chain_of_trees const space = search_spaces::grid(50);
    attune::random_searcher a(space, 1);
    attune::random_searcher b(space, 2);
    CHECK(a.ask(5) != b.ask(5));
}

TEST_CASE("random_searcher samples real parameters without end")
{
    attune::random_searcher s(search_spaces::mixed(), 1);
    CHECK(s.ask(500).size() == 500);
}

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::exhaustive_searcher);

TEST_CASE("exhaustive_searcher goes by index")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::exhaustive_searcher s(space);
    std::vector<attune::point> const first = s.ask(10);
    REQUIRE(first.size() == 10);
    for (std::size_t i = 0; i < 10; ++i)
        CHECK(first[i] == space.at(std::uint64_t{i}));
}

TEST_CASE("exhaustive_searcher refuses real parameters and says what to do")
{
    CHECK_THROWS_WITH_AS(attune::exhaustive_searcher{search_spaces::mixed()},
                         doctest::Contains("real parameter"), attune::error);
}
