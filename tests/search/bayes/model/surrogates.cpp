// tests/search/bayes/model/surrogates.cpp : mirrors include/attune/search/bayes/model/surrogates.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/surrogates.hpp>

#include <attune/search/bayes/model/forest_model.hpp>

#include <doctest/doctest.h>

#include "../../../laws/feasibility.hpp"
#include "../../../laws/surrogate.hpp"

TEST_CASE_TEMPLATE_INVOKE(surrogate_laws, attune::radial_surrogate, attune::baco_surrogate,
                          attune::fixed_surrogate, attune::gaussian_feasibility::surrogate_type,
                          attune::forest_feasibility::surrogate_type);
TEST_CASE_TEMPLATE_INVOKE(feasibility_laws, attune::gaussian_feasibility,
                          attune::forest_feasibility, attune::forest_classification);

TEST_CASE_TEMPLATE("every model learns a slope from a few points of it", S,
                   attune::product_surrogate, attune::radial_surrogate, attune::baco_surrogate,
                   attune::fixed_surrogate, attune::forest_surrogate,
                   attune::gaussian_feasibility::surrogate_type,
                   attune::forest_feasibility::surrogate_type)
{
    surrogate_law::slope const f;
    attune::detail::candidate_model<S> model(f.features);
    attune::random_engine engine(1);
    model.assign(f.all);
    model.fit(f.some, f.values, {}, engine);
    model.learn(f.some, f.values, {}, engine);
    CHECK(model.mean()[4] < -0.6);
    CHECK(model.mean()[76] > 0.6);
}

TEST_CASE("derived features are believed to matter less than parameters")
{
    attune::detail::gp::belief const b = attune::detail::objective_process().belief;
    CHECK(b.derived_length_median > b.length_median);
}
