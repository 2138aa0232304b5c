// tests/search/gp/features.cpp : mirrors include/attune/search/gp/features.hpp
// SPDX-License-Identifier: MIT
// clang-format off: the header under test comes first
#include <attune/search/gp/features.hpp>
// clang-format on

#include <attune/space/distance.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../../support/search_spaces.hpp"

TEST_CASE("feature_map leaves out what is constant")
{
    attune::description d;
    d.parameters = {search_spaces::ordinal("a", {3}),
                    search_spaces::counting("b", 4),
                    search_spaces::real("u", 2, 2),
                    search_spaces::real("v", 0, 1)};
    CHECK(attune::gp::feature_map(d).count() == 2);
}

TEST_CASE("feature_map adds the weighted squares of parameter_distance")
{
    attune::description d;
    d.parameters = {search_spaces::counting("long", 70000),
                    search_spaces::real("u", -1, 1),
                    search_spaces::ordinal("a", {1, 2, 4, 8}),
                    search_spaces::categorical("c", {"x", "y"})};
    d.parameters[2].on = attune::scale::log;
    attune::gp::feature_map features(d);
    REQUIRE(features.count() == 4);
    std::vector<attune::point> const points{{{0, 0}, {0, 0.5}, {3, 0}, {0, 0}},
                                            {{69999, 0}, {0, -1}, {0, 0}, {1, 0}},
                                            {{35000, 0}, {0, 0.25}, {1, 0}, {1, 0}}};
    attune::gp::feature_table table;
    for (attune::point const& p : points)
        features.append(p, table);
    REQUIRE(table.points == 3);
    for (std::size_t f = 0; f < 4; ++f)
        for (std::size_t from = 0; from < 3; ++from)
            for (int again = 0; again < 2; ++again) { // the second time from remembered rows
                std::vector<double> sum(2, 10.0);
                features.add_squared_distances(f, table, from, table, 1, 3.0, sum);
                for (std::size_t i = 0; i < 2; ++i) {
                    double const distance = attune::parameter_distance(
                        d.parameters[f], points[from][f], points[i + 1][f]);
                    CHECK(sum[i] == doctest::Approx(10 + 3 * distance * distance));
                }
            }
}
