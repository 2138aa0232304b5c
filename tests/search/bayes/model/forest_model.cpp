// tests/search/bayes/model/forest_model.cpp : mirrors include/attune/search/bayes/model/forest_model.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/forest_model.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../../../support/search_spaces.hpp"

namespace {

/// A forest over a grid of 10 x 10 that has seen every third point; the value is the first index.
struct fixture {
    fixture()
        : space(search_spaces::grid(10))
        , features(space)
        , model(features)
    {
        attune::feature_table all;
        for (std::uint64_t i = 0; i < 100; ++i)
            features.append(space.at(i), all);
        model.assign(all);
        attune::feature_table some;
        std::vector<double> values;
        for (std::uint64_t i = 0; i < 100; i += 3) {
            features.append(space.at(i), some);
            values.push_back(static_cast<double>(i / 10));
        }
        attune::random_engine engine(1);
        model.fit(some, values, {}, engine);
        model.learn(some, values, {}, engine);
    }
    attune::chain_of_trees space;
    attune::feature_map features;
    attune::forest_model model;
};

} // namespace

TEST_CASE("a forest learns a slope and is unsure where its trees disagree")
{
    fixture f;
    CHECK(f.model.mean()[5] < 2);
    CHECK(f.model.mean()[95] > 7);
    CHECK((f.model.variance() >= 0).all());
    Eigen::ArrayXd column;
    f.model.covariance(7, column);
    CHECK(column[7] == f.model.variance()[7]);
    CHECK(column[8] == 0);
}

TEST_CASE("what is pushed is forgotten when it is popped")
{
    fixture f;
    Eigen::ArrayXd const before = f.model.mean();
    for (int i = 0; i < 5; ++i)
        f.model.push(50, -40);
    CHECK(f.model.mean()[50] < before[50] - 1);
    for (int i = 0; i < 5; ++i)
        f.model.pop();
    CHECK((f.model.mean() == before).all());
}

TEST_CASE("appended candidates are judged like those that were there")
{
    fixture f;
    attune::feature_table more;
    f.features.append(f.space.at(std::uint64_t{12}), more);
    f.model.append(more);
    REQUIRE(f.model.mean().size() == 101);
    CHECK(f.model.table().points == 101);
    CHECK(f.model.mean()[100] == f.model.mean()[12]);
}
