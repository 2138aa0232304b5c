// tests/search/bayes/model/surrogates.cpp : mirrors include/attune/search/bayes/model/surrogates.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/surrogates.hpp>

#include <attune/search/bayes/model/forest_model.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "../../../laws/feasibility.hpp"
#include "../../../laws/surrogate.hpp"
#include "../../../support/gp_points.hpp"
#include "../../../support/minimal_surrogate.hpp"
#include "../../../support/search_spaces.hpp"

static_assert(!attune::surrogate<int>);
static_assert(!attune::resident_surrogate<minimal_surrogate>);
TEST_CASE_TEMPLATE_INVOKE(surrogate_laws, minimal_surrogate, attune::radial_surrogate,
                          attune::baco_surrogate, attune::fixed_surrogate,
                          attune::gaussian_feasibility::surrogate_type,
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

TEST_CASE_TEMPLATE_INVOKE(surrogate_laws,
                          attune::detail::process_surrogate<attune::detail::objective_process>);

namespace {

/// A process over a grid of 8 x 8 that has seen the points first .. last of it.
struct fixture {
    fixture()
        : space(search_spaces::grid(8))
        , features(space)
        , model(features, attune::detail::objective_process())
    {
        attune::feature_table const all = gp_points::rows_of_all(features);
        model.assign(all);
        attune::feature_table some;
        std::vector<double> values;
        for (std::uint64_t i = 0; i < 64; i += 7) {
            features.append(space.at(i), some);
            values.push_back(std::sin(static_cast<double>(i)));
        }
        attune::random_engine engine(1);
        model.fit(some, values, {}, engine);
        model.learn(some, values, {}, engine);
    }
    attune::chain_of_trees space;
    attune::feature_map features;
    attune::detail::process_model model;
};

} // namespace

TEST_CASE("observing a candidate by row and by features is the same")
{
    fixture a;
    fixture b;
    attune::feature_table one;
    a.features.append(a.space.at(std::uint64_t{10}), one);
    a.model.observe(one, 0, 1.5, 0);
    b.model.observe(10, 1.5, 0);
    CHECK((a.model.mean() - b.model.mean()).abs().maxCoeff() < 1e-3);
    CHECK((a.model.variance() - b.model.variance()).abs().maxCoeff() < 1e-3);
    CHECK(std::abs(a.model.mean()[10] - 1.5) < 0.2);
}

TEST_CASE("what is pushed is forgotten when it is popped, bit for bit")
{
    fixture f;
    Eigen::ArrayXd const before = f.model.mean();
    f.model.push(20, -3);
    f.model.push(30, 2);
    CHECK((f.model.mean() - before).abs().maxCoeff() > 0.1);
    f.model.pop();
    f.model.pop();
    CHECK((f.model.mean() == before).all());
}

TEST_CASE("covariances are symmetric, agree with variances, and explain what an observation moves")
{
    fixture f;
    Eigen::ArrayXd at_5;
    Eigen::ArrayXd at_9;
    f.model.covariance(5, at_5);
    f.model.covariance(9, at_9);
    CHECK(at_5[9] == doctest::Approx(at_9[5]).epsilon(1e-2));
    CHECK(at_5[5] == doctest::Approx(f.model.variance()[5]).epsilon(1e-2));
    CHECK(std::abs(at_5[9]) <= std::sqrt(f.model.variance()[5] * f.model.variance()[9]) + 1e-3);
}
