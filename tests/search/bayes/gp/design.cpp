// tests/search/bayes/gp/design.cpp : mirrors include/attune/search/bayes/gp/design.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/design.hpp>

#include <attune/core/random.hpp>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>

#include "../../../support/gp_points.hpp"

TEST_CASE("a design gives the squared distance of every pair of points in every feature")
{
    attune::random_engine engine(3);
    attune::chain_of_trees const space = gp_points::space(true);
    attune::feature_map const map(space);
    attune::feature_table const table = gp_points::draw(space, map, 30, engine).table;
    attune::detail::gp::design const found = attune::detail::gp::design_of(map, table);
    CHECK(found.points == 30);
    REQUIRE(found.features.size() == map.count());
    for (std::size_t f = 0; f < map.count(); ++f) {
        attune::detail::gp::observed_feature const& feature = found.features[f];
        REQUIRE(feature.code.size() == 30);
        for (std::size_t i = 0; i < 30; ++i)
            for (std::size_t j = 0; j < 30; ++j) {
                double const distance = map.levels(f) == 0
                                            ? map.position(f, table, i) - map.position(f, table, j)
                                            : map.distance(f, table.level[f][i], table.level[f][j]);
                CHECK(feature.squared(feature.code[i], feature.code[j]) ==
                      doctest::Approx(distance * distance));
            }
    }
}

TEST_CASE("only levels that occur have a row")
{
    attune::chain_of_trees const space = search_spaces::grid(1000);
    attune::feature_map const map(space);
    attune::feature_table table;
    for (std::uint32_t const x : {7u, 900u, 7u})
        map.append({{x, 0}, {3, 0}}, table);
    attune::detail::gp::design const found = attune::detail::gp::design_of(map, table);
    CHECK(found.features[0].squared.rows() == 2);
    CHECK(found.features[1].squared.rows() == 1);
    CHECK(attune::detail::gp::design_of(map, {}).points == 0);
}
