// tests/search/bayes/forest/models.cpp - forests over the features of a space.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/forest/models.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

using attune::feature_map;
using attune::feature_table;
using attune::random_engine;

namespace {

/// A space with every kind of feature and all of its points.
struct world {
    attune::chain_of_trees space{attune::bind_inputs(
        attune::lower(attune::space(attune::ordinal<"M">(attune::powers_of_two(8, 64)),
                                    attune::permutation<"O", 3>(),
                                    attune::tile<"T", 2>(16),
                                    attune::categorical<"C">("x", "y", "z"))))};
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
    attune::forest::value_model model(w.map);
    random_engine engine(1);
    model.fit(w.table, y, engine);
    std::vector<double> mean(y.size());
    std::vector<double> variance(y.size());
    model.predict(w.table, mean, variance);
    double worst = 0;
    for (std::size_t p = 0; p < y.size(); ++p)
        worst = std::max(worst, std::abs(mean[p] - y[p]));
    CHECK(worst < 0.5);
    CHECK(*model.out_of_bag_error() < 0.05);
}

TEST_CASE("what fails is learnt, and never ruled out")
{
    world const w;
    std::vector<char> worked;
    for (attune::point const& p : w.points)
        worked.push_back(p[0].index + p[2].index < 6 ? 1 : 0);
    attune::forest::feasibility_model model(w.map);
    std::vector<double> p(worked.size());
    model.probability(w.table, p);
    CHECK(p == std::vector<double>(worked.size(), 1.0));
    random_engine engine(2);
    model.fit(w.table, worked, engine);
    model.probability(w.table, p);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        CHECK(p[i] >= 0.01);
        wrong += (p[i] > 0.5) != (worked[i] != 0) ? 1U : 0U;
    }
    CHECK(wrong <= p.size() / 100);
    CHECK(*model.out_of_bag_error() < 0.2);
}
