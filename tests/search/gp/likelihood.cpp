// tests/search/gp/likelihood.cpp : mirrors include/attune/search/gp/likelihood.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/gp/likelihood.hpp>

#include <cmath>
#include <doctest/doctest.h>

#include "../../support/gp_reference.hpp"

TEST_CASE("marginal_likelihood equals the dense formula with explicit inverse and determinant")
{
    attune::random_engine engine(3);
    Eigen::MatrixXd const x = gp_reference::points(12, 3, engine);
    Eigen::VectorXd const y = gp_reference::values(x);
    attune::gp::pair_table const pairs = gp_reference::pairs(x);
    attune::gp::marginal_likelihood likelihood(pairs, y);
    for (double const shift : {-0.8, 0.0, 0.9}) {
        Eigen::VectorXd theta(5);
        theta << -0.5 + shift, 0.2, 0.7 - shift, 0.1, -3.0 + shift;
        CHECK(likelihood(theta, nullptr) ==
              doctest::Approx(gp_reference::log_likelihood(x, y, theta)).epsilon(1e-9));
    }
}

TEST_CASE("the likelihood's gradient equals central differences")
{
    attune::random_engine engine(4);
    for (Eigen::Index const n : {2, 7, 40}) {
        Eigen::MatrixXd const x = gp_reference::points(n, 4, engine);
        Eigen::VectorXd const y = gp_reference::values(x);
        attune::gp::pair_table const pairs = gp_reference::pairs(x);
        attune::gp::marginal_likelihood likelihood(pairs, y);
        Eigen::VectorXd theta(6);
        theta << -0.9, 0.1, 0.6, 1.1, 0.4, -2.5;
        Eigen::VectorXd gradient;
        double const value = likelihood(theta, &gradient);
        CHECK(value == doctest::Approx(likelihood(theta, nullptr)).epsilon(1e-12));
        REQUIRE(gradient.size() == 6);
        for (Eigen::Index k = 0; k < 6; ++k) {
            double const h = 1e-5;
            Eigen::VectorXd up = theta;
            Eigen::VectorXd down = theta;
            up[k] += h;
            down[k] -= h;
            double const numeric = (likelihood(up, nullptr) - likelihood(down, nullptr)) / (2 * h);
            CHECK(std::abs(gradient[k] - numeric) < 1e-6 * (1 + std::abs(numeric)));
        }
    }
}

TEST_CASE("the likelihood stands repeated points and reports what it cannot factorise")
{
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(3, 1);
    Eigen::VectorXd y(3);
    y << 0.1, -0.2, 0.1;
    attune::gp::pair_table pairs = gp_reference::pairs(x);
    attune::gp::marginal_likelihood likelihood(pairs, y);
    Eigen::VectorXd theta(3);
    theta << 0, 0, -60;
    CHECK(std::isfinite(likelihood(theta, nullptr)));

    pairs.squared(0, 0) = std::nan("");
    Eigen::VectorXd gradient;
    CHECK(likelihood(theta, &gradient) == -std::numeric_limits<double>::infinity());
    CHECK(gradient.norm() == 0.0);
}
