// tests/search/bayes/model/forest_model.cpp : mirrors include/attune/search/bayes/model/forest_model.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/forest_model.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/search/bayes/model/relearnt.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "../../../laws/surrogate.hpp"
#include "../../../support/gp_points.hpp"
#include "../../../support/search_spaces.hpp"

using attune::feature_map;
using attune::feature_table;
using attune::random_engine;

TEST_CASE_TEMPLATE_INVOKE(surrogate_laws, attune::forest_surrogate);

namespace {

/// A forest over a grid of 10 x 10 that has seen every third point; the value is the first index.
struct fixture {
    fixture()
        : space(search_spaces::grid(10))
        , features(space)
        , model(features)
    {
        attune::feature_table const all = gp_points::rows_of_all(features);
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
    attune::detail::relearnt<attune::forest_surrogate> model;
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

namespace {

/// A space with every kind of feature and all of its points.
struct world {
    attune::chain_of_trees space{attune::bind_inputs(attune::lower(attune::space(
        attune::ordinal<"M">(attune::powers_of_two(8, 64)), attune::permutation<"O", 3>(),
        attune::tile<"T", 2>(16), attune::categorical<"C">("x", "y", "z"))))};
    feature_map map{space};
    feature_table table;
    std::vector<attune::point> points;

    world()
    {
        for (attune::point const& p : attune::configurations(space)) {
            points.push_back(p);
            map.append(p, table);
        }
    }
};

} // namespace

TEST_CASE("values are learnt from features of every kind")
{
    world const w;
    std::vector<double> y;
    for (attune::point const& p : w.points) // item 0 first or not, the first factor, the choice
        y.push_back((p[1].index < 2 ? 1.0 : 3.0) + p[2].index + (p[3].index == 1 ? 4.0 : 0.0));
    attune::forest_surrogate model(w.map);
    random_engine engine(1);
    model.learn(w.table, y, {}, engine);
    auto const [mean, variance] = gp_points::predicted(model, w.table);
    double worst = 0;
    for (std::size_t p = 0; p < y.size(); ++p)
        worst = std::max(worst, std::abs(mean[static_cast<Eigen::Index>(p)] - y[p]));
    CHECK(worst < 0.5);
    CHECK(*model.out_of_bag_error() < 0.05);
}

TEST_CASE("what fails is learnt, and never ruled out")
{
    using attune::forest_classification;
    world const w;
    std::vector<double> labels;
    for (attune::point const& p : w.points)
        labels.push_back(forest_classification::label(p[0].index + p[2].index < 6));
    attune::detail::forest_classifier model(w.map);
    CHECK((gp_points::predicted(model, w.table).mean == 1.0).all());
    random_engine engine(2);
    model.learn(w.table, labels, {}, engine);
    Eigen::ArrayXd const mean = gp_points::predicted(model, w.table).mean;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        double const chance = forest_classification::chance(mean[static_cast<Eigen::Index>(i)], 0);
        CHECK(chance >= 0.01);
        wrong += (chance > 0.5) != (labels[i] > 0) ? 1U : 0U;
    }
    CHECK(wrong <= labels.size() / 100);
    CHECK(*model.out_of_bag_error() < 0.2);
}
