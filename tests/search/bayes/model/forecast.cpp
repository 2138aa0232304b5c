// tests/search/bayes/model/forecast.cpp : mirrors include/attune/search/bayes/model/forecast.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/forecast.hpp>

#include <attune/search/bayes/acquisition/acquisition.hpp>

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

namespace {

attune::point at(std::uint32_t i) { return {{i, 0}}; }

/// Values 0, 1, 0, 1, ...; expected is off by `error`.
attune::detail::prediction_record record(std::uint32_t count, double error)
{
    attune::detail::prediction_record r;
    for (std::uint32_t i = 0; i < count; ++i) {
        double const value = i % 2;
        r.expect(at(i), value + error, attune::detail::objective_scale{});
        r.observe(at(i), {at(i), true, value, value, value});
    }
    return r;
}

} // namespace

TEST_CASE("the error is relative to the variance of what was seen")
{
    CHECK(!record(19, 0).error());
    CHECK(record(20, 0).error() == doctest::Approx(0));
    CHECK(record(40, 0.5).error() == doctest::Approx(1)); // 0.25 over 0.25
    CHECK(record(40, 1.5).error() == doctest::Approx(9));
}

TEST_CASE("only the latest count; failures and surprises do not")
{
    attune::detail::prediction_record r = record(40, 5);
    for (std::uint32_t i = 100; i < 130; ++i) {
        r.expect(at(i), i % 2, attune::detail::objective_scale{});
        r.observe(at(i), {at(i), true, static_cast<double>(i % 2), 0, 0});
    }
    CHECK(r.error() == doctest::Approx(0));
    r.observe(at(500), {at(500), true, 99, 99, 99}); // was not expected
    r.expect(at(501), 7, attune::detail::objective_scale{});
    r.observe(at(501), {at(501)}); // failed
    CHECK(r.error() == doctest::Approx(0));
}

TEST_CASE("what is expected of a point is a value of the objective, until its outcome is known")
{
    std::vector<double> const values{1e-3, 2e-3, 4e-3, 5e-2};
    attune::detail::objective_scale const scale{values};
    REQUIRE(scale.logarithmic());
    attune::detail::prediction_record r;
    r.expect(at(1), scale.to_model(3e-3), scale);
    r.expect(at(2), scale.to_model(7.0), scale); // beyond the bend
    CHECK(*r.expected_of(at(1)) == doctest::Approx(3e-3));
    CHECK(*r.expected_of(at(2)) == doctest::Approx(7.0));
    CHECK_FALSE(r.expected_of(at(3)));
    r.observe(at(1), {at(1), true, 1e-3, 1e-3, 1e-3});
    CHECK_FALSE(r.expected_of(at(1)));
    CHECK(r.expected_of(at(2)));
}
