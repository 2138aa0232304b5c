// tests/search/cost/xgboost_trees.cpp - XGBoost as a cost model, beside our own boosting.
// SPDX-License-Identifier: MIT
#include <attune/search/cost/xgboost_trees.hpp>

#include <attune/search/cost/boosted_trees.hpp>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "../../../bench/support/score_quality.hpp"
#include "../../laws/cost_model.hpp"

#ifdef ATTUNE_TEST_XGBOOST

TEST_CASE_TEMPLATE_INVOKE(cost_model_laws, attune::xgboost_trees);

TEST_CASE("one round of one leaf is the Newton step of the weighted error")
{
    // Programs of two equal rows: nothing to split. Leaf: -sum(g) / (sum(h) + lambda).
    std::vector<attune::program_rows> const programs(3, attune::program_rows{{1, 1}, 1});
    std::vector<double> const scores{1, 0.5, 0.25};
    attune::boosting_options const how{.eta = 0.5, .rounds = 1};
    attune::xgboost_trees model(how);
    model.learn(programs, scores);
    double g = 0;
    double h = 0;
    for (double const s : scores) {
        g += 2 * s * (0 - s);
        h += 2 * s * 2;
    }
    double const leaf = -how.eta * g / (h + how.lambda);
    for (double const said : model.predict(programs))
        CHECK(std::fabs(said - 2 * leaf) < 1e-6);
}

TEST_CASE("the error falls, whatever the number of rows")
{
    auto known = cost_model_law::example(150, 4);
    for (std::size_t p = 0; p < known.programs.size(); p += 2) { // many equal rows
        attune::program_rows& rows = known.programs[p];
        std::vector<double> const one(rows.values.begin(), rows.values.begin() + 4);
        for (int times = 0; times < 40; ++times)
            rows.values.insert(rows.values.end(), one.begin(), one.end());
    }
    attune::xgboost_trees model;
    model.learn(known.programs, known.scores);
    auto const loss = model.training_loss();
    REQUIRE(loss.size() > 10);
    for (std::size_t i = 1; i < loss.size(); ++i)
        CHECK(loss[i] <= loss[i - 1] + 1e-6);
    CHECK(loss.back() < 0.3 * loss.front());
}

TEST_CASE("two implementations of the same model agree on programs that they have not seen")
{
    auto const known = cost_model_law::example(400, 5);
    auto const fresh = cost_model_law::example(200, 6);
    attune::boosted_trees ours;
    attune::xgboost_trees theirs;
    ours.learn(known.programs, known.scores);
    theirs.learn(known.programs, known.scores);
    std::vector<double> const one = ours.predict(fresh.programs);
    std::vector<double> const other = theirs.predict(fresh.programs);
    CHECK(bench::score_rmse(one, other) < 0.1);
    CHECK(bench::average_peak_score(other, fresh.scores) >
          0.9 * bench::average_peak_score(one, fresh.scores));
}

TEST_CASE("numbers beyond float are the largest float, and programs without rows are 0")
{
    auto known = cost_model_law::example(50, 7);
    known.programs.front().values.front() = 1e300;
    known.programs.front().values.back() = -std::numeric_limits<double>::infinity();
    attune::xgboost_trees model;
    model.learn(known.programs, known.scores);
    std::vector<attune::program_rows> some{known.programs[1], {}, known.programs[2]};
    std::vector<double> const said = model.predict(some);
    REQUIRE(said.size() == 3);
    CHECK(said[1] == 0);
    CHECK(said[0] == model.predict(known.programs)[1]);
    CHECK(said[2] == model.predict(known.programs)[2]);
}

#else

TEST_CASE("XGBoost as a cost model")
{
    MESSAGE("skipped: libxgboost was not found (Debian: libxgboost-dev)");
}

#endif
