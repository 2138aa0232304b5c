// tests/search/bayes/forest/forest.cpp - forests predict, know how sure they are, and how good.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/forest/forest.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "../../forest/table_of.hpp"

using attune::random_engine;
using attune::detail::forest::classification_forest;
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
    CHECK_FALSE(forest.out_of_bag_error()); // nothing was left out
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
    REQUIRE(forest.out_of_bag_error());
    CHECK(*forest.out_of_bag_error() < 1e-9);
}

TEST_CASE("the error out of the bag is small for a signal and about 1 for noise")
{
    auto const x = grid(16);
    random_engine engine(5);
    std::vector<double> signal;
    std::vector<double> noise;
    for (std::size_t i = 0; i < x.points; ++i) {
        signal.push_back(x.code[0][i] + 0.5 * x.code[1][i]);
        noise.push_back(attune::uniform_unit(engine));
    }
    options const how{.min_leaf = 5};
    regression_forest forest(how);
    forest.fit(x, signal, engine);
    CHECK(*forest.out_of_bag_error() < 0.1);
    forest.fit(x, noise, engine);
    CHECK(*forest.out_of_bag_error() > 0.8);
    CHECK(*forest.out_of_bag_error() < 1.6);
}

TEST_CASE("the error out of the bag is near the error on points never given")
{
    auto const all = grid(16);
    random_engine engine(6);
    std::vector<double> y;
    for (std::size_t i = 0; i < all.points; ++i)
        y.push_back(std::sin(all.code[0][i] * 0.5) + std::cos(all.code[1][i] * 0.7) +
                    0.3 * attune::uniform_unit(engine));
    code_table some = all;
    code_table rest = all;
    for (code_table* const part : {&some, &rest}) {
        part->points = 0;
        part->code.assign(2, {});
    }
    std::vector<double> y_some;
    std::vector<double> y_rest;
    for (std::size_t i = 0; i < all.points; ++i) {
        bool const given = attune::uniform_below(engine, 2) == 0;
        code_table& part = given ? some : rest;
        ++part.points;
        for (std::size_t c = 0; c < 2; ++c)
            part.code[c].push_back(all.code[c][i]);
        (given ? y_some : y_rest).push_back(y[i]);
    }
    regression_forest forest;
    forest.fit(some, y_some, engine);
    auto const got = predict(forest, rest);
    double mean = 0;
    for (double const v : y_rest)
        mean += v / static_cast<double>(y_rest.size());
    double error = 0;
    double scatter = 0;
    for (std::size_t p = 0; p < y_rest.size(); ++p) {
        error += std::pow(got.mean[p] - y_rest[p], 2);
        scatter += std::pow(y_rest[p] - mean, 2);
    }
    CHECK(*forest.out_of_bag_error() == doctest::Approx(error / scatter).epsilon(0.5));
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
    classification_forest labels;
    std::vector<double> p(4);
    labels.probability(x, p, 0.75);
    CHECK(p == std::vector<double>(4, 0.75));
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
    std::vector<char> const labels{1, 1, 0, 0, 1, 1, 1, 0};
    classification_forest forest(whole());
    random_engine engine(10);
    forest.fit(x, labels, engine);
    std::vector<double> p(8);
    forest.probability(x, p);
    CHECK(p[0] == doctest::Approx(1));
    CHECK(p[2] == doctest::Approx(0));
    CHECK(p[4] == doctest::Approx(1));
    CHECK(p[7] == doctest::Approx(0.5)); // codes 2 and 1 occur twice: once true
    CHECK(p[5] == p[7]);
}

TEST_CASE("probabilities stay in [0, 1] and separate what a rule separates")
{
    auto const x = grid(16);
    std::vector<char> labels;
    for (std::size_t i = 0; i < x.points; ++i)
        labels.push_back(x.code[0][i] * x.code[1][i] < 100 ? 1 : 0);
    classification_forest forest;
    random_engine engine(11);
    forest.fit(x, labels, engine);
    std::vector<double> p(x.points);
    forest.probability(x, p);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.points; ++i) {
        CHECK(p[i] >= 0);
        CHECK(p[i] <= 1);
        wrong += (p[i] > 0.5) != (labels[i] != 0) ? 1U : 0U;
    }
    CHECK(wrong <= 3);
    CHECK(*forest.out_of_bag_error() < 0.5);
}
