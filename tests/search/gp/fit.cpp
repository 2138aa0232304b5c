// tests/search/gp/fit.cpp : mirrors include/attune/search/gp/fit.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/gp/fit.hpp>

#include <cmath>
#include <doctest/doctest.h>

#include "../../support/gp_reference.hpp"

using attune::gp::fit_result;
using attune::gp::hyper_prior;

TEST_CASE("what fit maximises has the gradient of central differences")
{
    attune::random_engine engine(5);
    Eigen::MatrixXd const x = gp_reference::points(15, 2, engine);
    Eigen::VectorXd const y = gp_reference::values(x);
    attune::gp::pair_table const pairs = gp_reference::pairs(x);
    attune::gp::marginal_likelihood likelihood(pairs, y);
    hyper_prior const prior;
    attune::gp::detail::negative_log_posterior target(likelihood, prior);
    Eigen::VectorXd theta(4);
    theta << -0.3, 0.8, 0.2, -4.0;
    Eigen::VectorXd gradient;
    Eigen::VectorXd unused;
    (void)target(theta, gradient);
    for (Eigen::Index k = 0; k < 4; ++k) {
        Eigen::VectorXd up = theta;
        Eigen::VectorXd down = theta;
        up[k] += 1e-5;
        down[k] -= 1e-5;
        double const numeric = (target(up, unused) - target(down, unused)) / 2e-5;
        CHECK(gradient[k] == doctest::Approx(numeric).epsilon(1e-5));
    }
}

TEST_CASE("fit ends where nothing nearby is more probable")
{
    attune::random_engine engine(6);
    Eigen::MatrixXd const x = gp_reference::points(30, 3, engine);
    Eigen::VectorXd const y = gp_reference::values(x);
    attune::gp::pair_table const pairs = gp_reference::pairs(x);
    hyper_prior const prior;
    attune::gp::fit_options options;
    options.iterations = 200;
    fit_result const found = attune::gp::fit(pairs, y, prior, nullptr, engine, options);

    attune::gp::marginal_likelihood likelihood(pairs, y);
    auto const posterior = [&](Eigen::VectorXd const& theta) {
        return likelihood(theta, nullptr) + prior.log_density(theta, nullptr);
    };
    CHECK(posterior(found.best.theta) == doctest::Approx(found.log_posterior));
    CHECK(found.log_posterior > posterior(prior.mode(3).theta));
    for (int i = 0; i < 100; ++i) {
        Eigen::VectorXd theta = found.best.theta;
        for (Eigen::Index k = 0; k < 5; ++k)
            theta[k] += 0.4 * attune::uniform_unit(engine) - 0.2;
        CHECK(posterior(theta) < found.log_posterior + 1e-2);
    }
}

TEST_CASE("fit finds which feature matters")
{
    attune::random_engine engine(7);
    Eigen::MatrixXd const x = gp_reference::points(40, 2, engine);
    Eigen::VectorXd y = (6 * x.col(0)).array().sin();
    y.array() -= y.mean();
    fit_result const found =
        attune::gp::fit(gp_reference::pairs(x), y, hyper_prior{}, nullptr, engine);
    CHECK(found.best.theta[1] > found.best.theta[0] + 1.0);
}

TEST_CASE("a warm start is never worse than where it began and draws nothing")
{
    attune::random_engine engine(8);
    Eigen::MatrixXd const x = gp_reference::points(20, 2, engine);
    Eigen::VectorXd const y = gp_reference::values(x);
    attune::gp::pair_table const pairs = gp_reference::pairs(x);
    fit_result const cold = attune::gp::fit(pairs, y, hyper_prior{}, nullptr, engine);
    attune::random_engine before = engine;
    fit_result const warm = attune::gp::fit(pairs, y, hyper_prior{}, &cold.best, engine);
    CHECK(warm.log_posterior >= cold.log_posterior - 1e-9);
    CHECK(before() == engine());
}

TEST_CASE("fit survives data that defeat a line search")
{
    attune::random_engine engine(9);
    hyper_prior const prior;
    // No points, one point, no features, equal points with equal values, a distance that is no
    // number.
    CHECK(attune::gp::fit({}, {}, prior, nullptr, engine).best.theta.size() == 2);

    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(1, 2);
    Eigen::VectorXd y = Eigen::VectorXd::Zero(1);
    CHECK(
        attune::gp::fit(gp_reference::pairs(x), y, prior, nullptr, engine).best.theta.allFinite());

    x = Eigen::MatrixXd::Zero(5, 0);
    y = Eigen::VectorXd::Zero(5);
    CHECK(
        attune::gp::fit(gp_reference::pairs(x), y, prior, nullptr, engine).best.theta.allFinite());

    x = Eigen::MatrixXd::Zero(5, 2);
    CHECK(
        attune::gp::fit(gp_reference::pairs(x), y, prior, nullptr, engine).best.theta.allFinite());

    attune::gp::pair_table pairs = gp_reference::pairs(x);
    pairs.squared(3, 1) = std::nan("");
    fit_result const lost = attune::gp::fit(pairs, y, prior, nullptr, engine);
    CHECK((lost.best.theta - prior.mode(2).theta).norm() == 0.0);
}
