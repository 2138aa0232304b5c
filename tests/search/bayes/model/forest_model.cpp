// tests/search/bayes/model/forest_model.cpp : mirrors include/attune/search/bayes/model/forest_model.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/forest_model.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/search/bayes/model/search_parts.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "../../../laws/surrogate.hpp"
#include "../../../support/gp_points.hpp"
#include "../../../support/search_spaces.hpp"
#include "../../forest/table_of.hpp"

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
}

using attune::random_engine;
using attune::detail::forest::code_table;
using attune::detail::forest::options;
using attune::detail::forest::regression_forest;
using attune_tests::grid;
using attune_tests::table_of;

namespace {

struct prediction {
    std::vector<double> mean;
    std::vector<double> variance;
};
prediction predict(regression_forest const& forest, code_table const& x)
{
    prediction out{std::vector<double>(x.points), std::vector<double>(x.points)};
    forest.predict(x, out.mean, out.variance);
    return out;
}

/// Every tree sees everything and tries everything.
options whole()
{
    return {.bootstrap = false, .min_leaf = 1, .column_share = 1, .variance_floor = 0};
}

} // namespace

TEST_CASE("without depth a forest predicts the mean and variance of the numbers")
{
    options how = whole();
    how.max_depth = 0;
    regression_forest forest(how);
    random_engine engine(1);
    auto const x = table_of({{3, false}}, {{0, 1, 2, 2}});
    forest.fit(x, std::vector<double>{1, 2, 3, 6}, engine);
    auto const got = predict(forest, x);
    CHECK(got.mean[0] == doctest::Approx(3));
    CHECK(got.variance[3] == doctest::Approx(14.0 / 4));
}

TEST_CASE("mean and variance follow the law of total variance over the trees")
{
    // Two codes seen, 0 and 4; a tree puts its threshold at random, so that at code 2 half of the
    // trees say 0 and half say 8: mean 4, variance 16, in expectation.
    options how = whole();
    how.trees = 2000;
    regression_forest forest(how);
    random_engine engine(2);
    forest.fit(table_of({{5, false}}, {{0, 4}}), std::vector<double>{0, 8}, engine);
    auto const at = table_of({{5, false}}, {{0, 1, 2, 3, 4}});
    auto const got = predict(forest, at);
    CHECK(got.mean[0] == doctest::Approx(0));
    CHECK(got.variance[0] == doctest::Approx(0));
    CHECK(got.mean[4] == doctest::Approx(8));
    // thresholds 0, 1, 2, 3 with probability 1/4 each: code 2 goes right for 0 and 1
    for (std::size_t code : {1U, 2U, 3U}) {
        double const right = static_cast<double>(code) / 4;
        CHECK(got.mean[code] == doctest::Approx(8 * right).epsilon(0.1));
        // for a share p that says 8 the variance is 64 p (1 - p), exactly
        double const p = got.mean[code] / 8;
        CHECK(got.variance[code] == doctest::Approx(64 * p * (1 - p)));
    }
}

TEST_CASE("a function without noise is recovered, numbers of any size")
{
    auto const x = grid(12);
    for (double const offset : {0.0, 1e9}) {
        std::vector<double> y;
        for (std::size_t i = 0; i < x.points; ++i)
            y.push_back(offset + x.code[0][i] * x.code[1][i]);
        regression_forest forest(whole());
        random_engine engine(3);
        forest.fit(x, y, engine);
        auto const got = predict(forest, x);
        for (std::size_t p = 0; p < x.points; p += 5) {
            CHECK(std::abs(got.mean[p] - y[p]) < 1e-6);
            CHECK(got.variance[p] < 1e-6);
        }
    }
}

TEST_CASE("a step is recovered from a bootstrap, and the leaves beside it are surest")
{
    auto const x = grid(16);
    std::vector<double> y;
    for (std::size_t i = 0; i < x.points; ++i)
        y.push_back(x.code[0][i] < 9 ? 2 : 5);
    regression_forest forest;
    random_engine engine(4);
    forest.fit(x, y, engine);
    auto const got = predict(forest, x);
    for (std::size_t p = 0; p < x.points; ++p)
        CHECK(got.mean[p] == doctest::Approx(y[p]));
}

TEST_CASE("one seed is one forest")
{
    auto const x = grid(8);
    random_engine numbers(7);
    std::vector<double> y;
    for (std::size_t i = 0; i < x.points; ++i)
        y.push_back(attune::uniform_unit(numbers));
    auto const with = [&](std::uint64_t seed) {
        regression_forest forest;
        random_engine engine(seed);
        forest.fit(x, y, engine);
        return predict(forest, x).mean;
    };
    CHECK(with(1) == with(1));
    CHECK(with(1) != with(2));
}

TEST_CASE("without points there is no opinion, and what was learnt can be forgotten")
{
    auto const x = grid(2);
    regression_forest forest;
    random_engine engine(8);
    forest.fit(x, std::vector<double>{1, 2, 3, 4}, engine);
    forest.fit(code_table{}, std::vector<double>{}, engine);
    auto const got = predict(forest, x);
    CHECK(got.mean[0] == 0);
    CHECK(got.variance[0] == 1);
}

TEST_CASE("the variance floor is a share of the variance of the numbers")
{
    options how = whole();
    how.variance_floor = 0.1;
    regression_forest forest(how);
    random_engine engine(9);
    auto const x = table_of({{2, false}}, {{0, 1}});
    forest.fit(x, std::vector<double>{0, 2}, engine); // variance 1
    CHECK(predict(forest, x).variance[0] == doctest::Approx(0.1));
}

TEST_CASE("labels become probabilities: sure where they agree, their share where they do not")
{
    auto const x =
        table_of({{3, false}, {2, true}}, {{0, 0, 1, 1, 2, 2, 2, 2}, {0, 1, 0, 1, 0, 1, 0, 1}});
    std::vector<double> const labels{1, 1, 0, 0, 1, 1, 1, 0};
    regression_forest forest(whole());
    random_engine engine(10);
    forest.fit(x, labels, engine);
    std::vector<double> const p = predict(forest, x).mean;
    CHECK(p[0] == doctest::Approx(1));
    CHECK(p[2] == doctest::Approx(0));
    CHECK(p[4] == doctest::Approx(1));
    CHECK(p[7] == doctest::Approx(0.5)); // codes 2 and 1 occur twice: once true
    CHECK(p[5] == p[7]);
}

TEST_CASE("probabilities stay in [0, 1] and separate what a rule separates")
{
    auto const x = grid(16);
    std::vector<double> labels;
    for (std::size_t i = 0; i < x.points; ++i)
        labels.push_back(x.code[0][i] * x.code[1][i] < 100 ? 1 : 0);
    regression_forest forest(options{.variance_floor = 0});
    random_engine engine(11);
    forest.fit(x, labels, engine);
    std::vector<double> const p = predict(forest, x).mean;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.points; ++i) {
        CHECK(p[i] >= 0);
        CHECK(p[i] <= 1);
        wrong += (p[i] > 0.5) != (labels[i] != 0) ? 1U : 0U;
    }
    CHECK(wrong <= 3);
}
