// tests/search/local/unit_embedding.cpp : mirrors include/attune/search/local/unit_embedding.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/local/unit_embedding.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../../support/searcher_trials.hpp"

using attune::detail::unit_embedding;

TEST_CASE("decoding what was embedded gives the same configuration")
{
    for (attune::chain_of_trees const& space :
         {search_spaces::constrained(), searcher_trials::every_kind(), search_spaces::single()}) {
        unit_embedding const cube(space.describe());
        attune::random_engine engine(1);
        for (int i = 0; i < 200; ++i) {
            attune::point const p = space.sample(engine);
            std::vector<double> const at = cube.embed(p);
            CHECK(at.size() == cube.dimensions());
            for (double const v : at) {
                CHECK(v >= 0);
                CHECK(v <= 1 + 1e-12);
            }
            attune::point const back = cube.decode(at);
            for (std::size_t c = 0; c < p.size(); ++c) {
                CHECK(back[c].index == p[c].index);
                CHECK(back[c].real == doctest::Approx(p[c].real));
            }
        }
    }
}

TEST_CASE("each kind takes the dimensions that it needs")
{
    // A real, a permutation of 4, a tile of 2, a boolean.
    CHECK(unit_embedding(searcher_trials::every_kind().describe()).dimensions() == 1 + 4 + 2 + 1);
    // Numbers of 3 and 5 values, a category of 3.
    CHECK(unit_embedding(search_spaces::constrained().describe()).dimensions() == 1 + 1 + 3);
}

TEST_CASE("any vector decodes to values inside the tables")
{
    attune::chain_of_trees const space = searcher_trials::every_kind();
    unit_embedding const cube(space.describe());
    attune::random_engine engine(2);
    for (int i = 0; i < 300; ++i) {
        std::vector<double> at(cube.dimensions());
        for (double& v : at)
            v = 4 * attune::uniform_unit(engine) - 1.5;
        attune::point const p = cube.decode(at);
        for (std::size_t c = 0; c < p.size(); ++c) {
            attune::parameter_description const& parameter = space.describe().parameters[c];
            if (parameter.kind == attune::parameter_kind::real)
                CHECK((parameter.low <= p[c].real && p[c].real <= parameter.high));
            else
                CHECK(p[c].index < parameter.value_count());
        }
    }
}

TEST_CASE("the order of the keys is the order of the items, the largest coordinate the category")
{
    attune::chain_of_trees const kinds = searcher_trials::every_kind();
    unit_embedding const cube(kinds.describe());
    std::vector<double> at{0.5, 0.9, 0.1, 0.5, 0.3, 0.5, 0.5, 1};
    attune::point const p = cube.decode(at);
    CHECK(attune::elements_at(kinds.describe().parameters[1], p[1].index) ==
          std::vector<std::int64_t>{1, 3, 2, 0});
    auto const tile = attune::elements_at(kinds.describe().parameters[2], p[2].index);
    CHECK(tile[0] * tile[1] == 24);
    CHECK((tile[0] == 4 || tile[0] == 6)); // sqrt(24) lies between
    CHECK(p[3].index == 1);
    attune::chain_of_trees const category = search_spaces::constrained();
    CHECK(unit_embedding(category.describe()).decode(std::vector<double>{1, 0, 0.2, 0.4, 0.3})[2] ==
          attune::coordinate{1, 0});
}
