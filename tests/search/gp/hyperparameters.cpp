// tests/search/gp/hyperparameters.cpp : mirrors include/attune/search/gp/hyperparameters.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/gp/hyperparameters.hpp>

#include <cmath>
#include <doctest/doctest.h>

using attune::gp::hyper_prior;
using attune::gp::hyperparameters;

TEST_CASE("hyperparameters read their logarithms back")
{
    hyperparameters h{Eigen::VectorXd(4)};
    h.theta << std::log(2.0), std::log(0.5), std::log(3.0), std::log(0.01);
    CHECK(h.features() == 2);
    CHECK(h.signal() == doctest::Approx(3.0));
    CHECK(h.noise() == doctest::Approx(0.01));
    CHECK(h.weights()[0] == doctest::Approx(0.25));
    CHECK(h.weights()[1] == doctest::Approx(4.0));
}

TEST_CASE("the prior's gradient equals central differences")
{
    hyper_prior const prior;
    Eigen::VectorXd theta(5);
    theta << -2.0, 0.3, 1.9, -0.7, -4.0;
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(5);
    (void)prior.log_density(theta, &gradient);
    for (Eigen::Index k = 0; k < 5; ++k) {
        Eigen::VectorXd up = theta;
        Eigen::VectorXd down = theta;
        up[k] += 1e-5;
        down[k] -= 1e-5;
        double const numeric =
            (prior.log_density(up, nullptr) - prior.log_density(down, nullptr)) / 2e-5;
        CHECK(gradient[k] == doctest::Approx(numeric).epsilon(1e-7));
    }
}

TEST_CASE("the prior is a gamma density on each length scale")
{
    // Density of log l = gamma density of l times l; ratios do not depend on the constant.
    hyper_prior const prior;
    auto const at = [&](double length) {
        Eigen::VectorXd theta(3);
        theta << std::log(length), prior.log_signal_mean, prior.log_noise_mean;
        return prior.log_density(theta, nullptr);
    };
    auto const gamma = [&](double l) {
        return std::pow(l, prior.length_shape - 1) * std::exp(-prior.length_rate * l) * l;
    };
    CHECK(at(2.0) - at(0.3) == doctest::Approx(std::log(gamma(2.0) / gamma(0.3))));
}

TEST_CASE("no hyperparameters are more probable than the prior's mode")
{
    hyper_prior const prior;
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(5);
    (void)prior.log_density(prior.mode(3).theta, &gradient);
    CHECK(gradient.norm() < 1e-12);
}
