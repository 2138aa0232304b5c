// tests/search/bayes/model/model_choice.cpp : mirrors include/attune/search/bayes/model/model_choice.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/model_choice.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../../../support/search_spaces.hpp"

TEST_CASE("every model learns a slope from a few points of it")
{
    using attune::surrogate_model;
    attune::chain_of_trees const space = search_spaces::grid(9);
    attune::feature_map const features(space);
    attune::feature_table all;
    attune::feature_table some;
    std::vector<double> values;
    for (std::uint64_t i = 0; i < 81; ++i) {
        features.append(space.at(i), all);
        if (i % 4 != 0) continue;
        features.append(space.at(i), some);
        values.push_back(static_cast<double>(i / 9) / 4 - 1);
    }
    auto const check = [&](std::unique_ptr<attune::candidate_model> const& model) {
        attune::random_engine engine(1);
        model->assign(all);
        model->fit(some, values, {}, engine);
        model->learn(some, values, {}, engine);
        CHECK(model->mean()[4] < -0.6);
        CHECK(model->mean()[76] > 0.6);
    };
    for (auto const which : {surrogate_model::product_process,
                             surrogate_model::radial_process,
                             surrogate_model::baco_process,
                             surrogate_model::fixed_process,
                             surrogate_model::random_forest})
        check(attune::make_objective_model(features, which));
    for (auto const which :
         {attune::feasibility_model::gaussian_process, attune::feasibility_model::random_forest})
        check(attune::make_label_model(features, which));
}

TEST_CASE("derived features are believed to matter less than parameters")
{
    attune::gp::belief const b = attune::objective_process().belief;
    CHECK(b.derived_length_median > b.length_median);
}
