// tests/search/local/starts.cpp : mirrors include/attune/search/local/starts.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/local/starts.hpp>

#include <doctest/doctest.h>
#include <unordered_set>
#include <vector>

#include "../../support/search_spaces.hpp"

using namespace attune;
using namespace attune::detail;

TEST_CASE("fresh points differ and nobody has seen them")
{
    trials t(search_spaces::grid(10), 1);
    for (std::uint64_t i = 0; i < 30; ++i)
        t.tell(t.space().at(i), attune::measurement::exact(1));
    std::vector<attune::point> const points = fresh_points(t, 20);
    CHECK(points.size() == 20);
    CHECK(std::unordered_set<attune::point, attune::point_hash>(points.begin(), points.end())
              .size() == 20);
    for (attune::point const& p : points)
        CHECK_FALSE(t.has_seen(p));
}

TEST_CASE("there is at least one fresh point, also when all were seen or none are wanted")
{
    trials t(search_spaces::single(), 1);
    CHECK(fresh_points(t, 5).size() == 1);
    t.tell(t.space().at(std::uint64_t{0}), attune::measurement::exact(1));
    CHECK(fresh_points(t, 5).size() == 1);
    CHECK(fresh_points(t, 0).size() == 1);
}

TEST_CASE("a space that is smaller than the wish is found whole, and not searched for long")
{
    for (std::int64_t const side : {1, 2, 3}) {
        trials t(search_spaces::grid(side), 1);
        CHECK(fresh_points(t, std::size_t{1} << 40).size() ==
              static_cast<std::size_t>(side * side));
    }
}

TEST_CASE("the best of a round is the first of the lowest")
{
    attune::chain_of_trees const space = search_spaces::grid(3);
    std::vector<attune::point> const round{space.at(std::uint64_t{4}), space.at(std::uint64_t{1}),
                                           space.at(std::uint64_t{2})};
    CHECK(best_of(round, std::vector<double>{5, 2, 2}).where == round[1]);
    CHECK(best_of(round, std::vector<double>{failed_value, failed_value, failed_value}).value ==
          failed_value);
}

TEST_CASE("the best ones ascend, equals in the order in which they came, and the worst drop out")
{
    std::vector<valued_point> best;
    std::uint32_t order = 0;
    for (double const value : {5.0, 2.0, failed_value, 2.0, 9.0, 1.0})
        keep_best(best, {{{order++, 0}}, value}, 4);
    std::vector<std::uint32_t> came;
    for (valued_point const& t : best)
        came.push_back(t.where[0].index);
    CHECK(came == std::vector<std::uint32_t>{5, 1, 3, 0});
}
