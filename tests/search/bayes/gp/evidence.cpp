// tests/search/bayes/gp/evidence.cpp : mirrors include/attune/search/bayes/gp/evidence.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/evidence.hpp>

#include <attune/core/random.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <numbers>
#include <vector>

#include "../../../support/gp_points.hpp"

using attune::detail::gp::evidence;
using attune::detail::gp::hyperparameter_vector;
using attune::detail::gp::kernel;

namespace {

/// log N(y; 0, K) by explicit inverse and determinant.
double dense(Eigen::MatrixXd const& k, Eigen::VectorXd const& y)
{
    return -0.5 * y.dot(k.inverse() * y) - 0.5 * std::log(k.determinant()) -
           0.5 * static_cast<double>(y.size()) * std::log(2 * std::numbers::pi);
}

} // namespace

TEST_CASE("evidence equals the dense formula with explicit inverse and determinant")
{
    attune::random_engine engine(3);
    attune::chain_of_trees const space = gp_points::space(true);
    attune::feature_map const map(space);
    gp_points::sample const seen = gp_points::draw(space, map, 12, engine);
    attune::detail::gp::design const design = attune::detail::gp::design_of(map, seen.table);
    Eigen::VectorXd const y = gp_points::vector(seen.values);
    Eigen::VectorXd extra(12);
    for (Eigen::Index i = 0; i < 12; ++i)
        extra[i] = 0.01 * static_cast<double>(i);
    hyperparameter_vector const h = gp_points::some_hyper(map.count());
    for (kernel const& k : gp_points::all_kernels()) {
        Eigen::MatrixXd noisy = gp_points::covariance(map, k, h, seen.table, seen.table);
        noisy.diagonal().array() += h.noise();
        CHECK(evidence(design, k, y)(h.theta, nullptr) ==
              doctest::Approx(dense(noisy, y)).epsilon(1e-9));
        noisy.diagonal() += extra;
        CHECK(evidence(design, k, y, extra)(h.theta, nullptr) ==
              doctest::Approx(dense(noisy, y)).epsilon(1e-9));
        Eigen::MatrixXd const fixed = y * y.transpose();
        CHECK(evidence(design, k, y, extra, fixed)(h.theta, nullptr) ==
              doctest::Approx(dense(noisy + fixed, y)).epsilon(1e-9));
    }
}

TEST_CASE("the evidence's gradient equals central differences")
{
    attune::random_engine engine(4);
    attune::chain_of_trees const space = gp_points::space(true);
    attune::feature_map const map(space);
    // Few points have about as many levels; of many most levels recur: two ways to sum.
    for (std::size_t const n : {1u, 2u, 9u, 60u}) {
        gp_points::sample const seen = gp_points::draw(space, map, n, engine);
        attune::detail::gp::design const design = attune::detail::gp::design_of(map, seen.table);
        Eigen::VectorXd const y = gp_points::vector(seen.values).array() - 1.0;
        Eigen::VectorXd const extra =
            Eigen::VectorXd::LinSpaced(static_cast<Eigen::Index>(n), 0.0, 0.1);
        Eigen::VectorXd const theta = gp_points::some_hyper(map.count()).theta;
        for (kernel const& k : gp_points::all_kernels()) {
            // Without and with a covariance that no hyperparameter changes.
            bool const is_fixed = k.matern == attune::detail::gp::smoothness::matern52;
            Eigen::MatrixXd fixed;
            if (is_fixed) fixed = 0.3 * y * y.transpose();
            evidence likelihood(design, k, y, extra, fixed);
            Eigen::VectorXd gradient;
            double const value = likelihood(theta, &gradient);
            CHECK(value == doctest::Approx(likelihood(theta, nullptr)).epsilon(1e-12));
            REQUIRE(gradient.size() == theta.size());
            for (Eigen::Index i = 0; i < theta.size(); ++i) {
                Eigen::VectorXd up = theta;
                Eigen::VectorXd down = theta;
                up[i] += 1e-5;
                down[i] -= 1e-5;
                double const numeric = (likelihood(up, nullptr) - likelihood(down, nullptr)) / 2e-5;
                CHECK(std::abs(gradient[i] - numeric) < 1e-6 * (1 + std::abs(numeric)));
            }
        }
    }
}

TEST_CASE("evidence stands repeated points and reports what it cannot factorise")
{
    attune::detail::gp::design design{3, {{{0, 0, 0}, Eigen::MatrixXd::Zero(1, 1)}}};
    Eigen::VectorXd y(3);
    y << 0.1, -0.2, 0.1;
    Eigen::VectorXd theta(4);
    theta << 0, 0, -60, 0;
    evidence repeated(design, {}, y);
    CHECK(std::isfinite(repeated(theta, nullptr)));

    design = {2, {{{0, 1}, Eigen::MatrixXd::Constant(2, 2, std::nan(""))}}};
    evidence broken(design, {}, y.head(2));
    Eigen::VectorXd gradient;
    CHECK(broken(theta, &gradient) == -std::numeric_limits<double>::infinity());
    CHECK(gradient.norm() == 0.0);
}
