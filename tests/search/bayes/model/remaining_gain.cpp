// tests/search/bayes/model/remaining_gain.cpp : mirrors include/attune/search/bayes/model/remaining_gain.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/remaining_gain.hpp>

#include <attune/search/bayes/acquisition/expected_improvement.hpp>

#include <doctest/doctest.h>
#include <vector>

using attune::detail::remaining_gain;

namespace {

attune::detail::objective_scale const linear{}; // the identity

double gain(Eigen::VectorXd const& mean, Eigen::MatrixXd const& covariance,
            std::vector<double> const& chance, double best)
{
    attune::random_engine engine(1);
    return remaining_gain(mean, covariance, chance, best, linear, engine, 20000);
}

} // namespace

TEST_CASE("the gain by one candidate is its expected improvement, times its chance")
{
    Eigen::VectorXd const mean = Eigen::VectorXd::Constant(1, 0.4);
    Eigen::MatrixXd const variance = Eigen::MatrixXd::Constant(1, 1, 0.49);
    double const expected = attune::expected_improvement(0.4, 0.49, 0.1);
    CHECK(gain(mean, variance, {1.0}, 0.1) == doctest::Approx(expected).epsilon(0.03));
    CHECK(gain(mean, variance, {0.3}, 0.1) == doctest::Approx(0.3 * expected).epsilon(0.06));
    CHECK(gain(mean, variance, {0.0}, 0.1) == 0);
}

TEST_CASE("candidates that go together promise no more than one of them")
{
    Eigen::VectorXd const mean = Eigen::VectorXd::Zero(8);
    std::vector<double> const sure(8, 1.0);
    double const one = attune::expected_improvement(0, 1, 0);
    double const together = gain(mean, Eigen::MatrixXd::Ones(8, 8), sure, 0);
    CHECK(together == doctest::Approx(one).epsilon(0.03));
    // The mean of the lowest of eight independent standard normal numbers is -1.4236.
    double const apart = gain(mean, Eigen::MatrixXd::Identity(8, 8), sure, 0);
    CHECK(apart == doctest::Approx(1.4236).epsilon(0.03));
}

TEST_CASE("where values are logarithms the gain is a share of the best")
{
    std::vector<double> const values{1.0, 10.0, 100.0};
    attune::detail::objective_scale const scale{values};
    attune::random_engine engine(2);
    Eigen::VectorXd const mean = Eigen::VectorXd::Constant(1, scale.to_model(3.0));
    double const share = remaining_gain(mean, Eigen::MatrixXd::Zero(1, 1), std::vector<double>{1.0},
                                        4.0, scale, engine);
    CHECK(share == doctest::Approx(0.25).epsilon(0.01));
}

TEST_CASE("no candidates promise nothing, and rounding errors do no harm")
{
    CHECK(gain({}, {}, {}, 0) == 0);
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Ones(3, 3);
    covariance(0, 1) = covariance(1, 0) = 1 + 1e-7; // not positive definite
    CHECK(gain(Eigen::VectorXd::Zero(3), covariance, {1, 1, 1}, 0) > 0.3);
}
