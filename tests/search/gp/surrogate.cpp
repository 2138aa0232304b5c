// tests/search/gp/surrogate.cpp : mirrors include/attune/search/gp/surrogate.hpp
// SPDX-License-Identifier: MIT
// clang-format off: the header under test comes first
#include <attune/search/gp/surrogate.hpp>
// clang-format on

#include <attune/search/feasibility.hpp>
#include <attune/search/unseen.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "../../support/search_spaces.hpp"

using attune::gp::feature_map;
using attune::gp::feature_table;
using attune::gp::surrogate;

TEST_CASE("pairs_of lists pairs column by column")
{
    attune::chain_of_trees const space = search_spaces::grid(5);
    feature_map features(space.describe());
    feature_table table;
    for (attune::point const& p : {attune::point{{0, 0}, {0, 0}},
                                   attune::point{{4, 0}, {1, 0}},
                                   attune::point{{2, 0}, {0, 0}}})
        features.append(p, table);
    attune::gp::pair_table const pairs = attune::gp::pairs_of(features, table);
    CHECK(pairs.points == 3);
    Eigen::MatrixXd want(3, 2); // pairs (1,0), (2,0), (2,1); distances over 4
    want << 1, 1.0 / 16, 0.25, 0, 0.25, 1.0 / 16;
    CHECK((pairs.squared - want).norm() < 1e-12);
}

TEST_CASE("a surrogate learns a smooth function and knows where it does not know")
{
    attune::chain_of_trees const space = search_spaces::grid(30);
    feature_map features(space.describe());
    attune::random_engine engine(2);
    auto const truth = [](attune::point const& p) {
        double const x = p[0].index / 29.0;
        double const y = p[1].index / 29.0;
        return std::sin(4 * x) + y * y;
    };
    feature_table seen;
    std::vector<double> values;
    for (int i = 0; i < 40; ++i) {
        attune::point const p = space.sample(engine);
        features.append(p, seen);
        values.push_back(truth(p));
    }
    surrogate model;
    CHECK_FALSE(model.is_fitted());
    model.refit(features, seen, values, engine);
    CHECK(model.is_fitted());
    model.condition(features, seen, values);

    feature_table all;
    for (std::uint64_t i = 0; i < 900; ++i)
        features.append(space.at(i), all);
    Eigen::ArrayXd mean;
    Eigen::ArrayXd variance;
    model.predict(features, all, mean, variance);
    REQUIRE(mean.size() == 900);
    double square = 0;
    int covered = 0;
    for (std::uint64_t i = 0; i < 900; ++i) {
        Eigen::Index const row = static_cast<Eigen::Index>(i);
        double const error = mean[row] - truth(space.at(i));
        square += error * error;
        covered += std::abs(error) <= 3 * std::sqrt(variance[row]) + 1e-3 ? 1 : 0;
    }
    CHECK(std::sqrt(square / 900) < 0.05);
    CHECK(covered > 850);
}

TEST_CASE("regressing labels tells where points fail, far better than chance")
{
    // A rule over two of three parameters: fails where x * y is large.
    attune::description d;
    d.parameters = {search_spaces::counting("x", 16),
                    search_spaces::counting("y", 16),
                    search_spaces::categorical("c", {"p", "q", "r"})};
    attune::chain_of_trees const space(d);
    feature_map features(space.describe());
    auto const works = [](attune::point const& p) { return p[0].index * p[1].index < 60; };
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        attune::random_engine engine(seed);
        attune::unseen_points unseen(space);
        feature_table seen;
        std::vector<double> labels;
        for (int i = 0; i < 40; ++i) {
            attune::point const p = *unseen.draw(engine);
            unseen.mark(p);
            features.append(p, seen);
            labels.push_back(attune::feasibility_label(works(p)));
        }
        surrogate model;
        model.refit(features, seen, labels, engine);
        model.condition(features, seen, labels);
        feature_table all;
        for (std::uint64_t i = 0; i < 768; ++i)
            features.append(space.at(i), all);
        Eigen::ArrayXd mean;
        Eigen::ArrayXd variance;
        model.predict(features, all, mean, variance);
        // Probability that a working point outranks a failing one: 0.5 by chance.
        double wins = 0;
        double duels = 0;
        for (std::uint64_t i = 0; i < 768; ++i)
            for (std::uint64_t j = 0; j < 768; ++j) {
                if (!works(space.at(i)) || works(space.at(j))) continue;
                double const a = mean[static_cast<Eigen::Index>(i)];
                double const b = mean[static_cast<Eigen::Index>(j)];
                wins += a > b ? 1 : a == b ? 0.5 : 0;
                duels += 1;
            }
        CHECK(wins / duels > 0.95);
    }
}
