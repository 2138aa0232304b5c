// tests/search/bayes/model/process_model.cpp : mirrors include/attune/search/bayes/model/process_model.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/process_model.hpp>

#include <attune/search/bayes/model/surrogates.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "../../../laws/surrogate.hpp"
#include "../../../support/search_spaces.hpp"

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
        attune::feature_table all;
        for (std::uint64_t i = 0; i < 64; ++i)
            features.append(space.at(i), all);
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

TEST_CASE("appended candidates are judged like those that were there")
{
    fixture f;
    attune::feature_table more;
    f.features.append(f.space.at(std::uint64_t{12}), more);
    f.model.append(more);
    REQUIRE(f.model.mean().size() == 65);
    CHECK(f.model.table().points == 65);
    CHECK(f.model.mean()[64] == doctest::Approx(f.model.mean()[12]).epsilon(1e-3));
}
