// tests/search/gp/posterior.cpp : mirrors include/attune/search/gp/posterior.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/gp/posterior.hpp>

#include <cmath>
#include <doctest/doctest.h>

#include "../../support/gp_reference.hpp"

namespace {

Eigen::MatrixXd
scaled_distances(Eigen::MatrixXd const& a, Eigen::MatrixXd const& b, Eigen::VectorXd const& weights)
{
    Eigen::MatrixXd r2(a.rows(), b.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i)
        for (Eigen::Index j = 0; j < b.rows(); ++j)
            r2(i, j) = (a.row(i) - b.row(j)).array().square().matrix().dot(weights.transpose());
    return r2;
}

} // namespace

TEST_CASE("the posterior equals the textbook formula with an explicit inverse")
{
    attune::random_engine engine(21);
    for (Eigen::Index const n : {1, 5, 50}) {
        Eigen::MatrixXd const x = gp_reference::points(n, 3, engine);
        Eigen::MatrixXd const candidates = gp_reference::points(70, 3, engine);
        Eigen::VectorXd const y = gp_reference::values(x);
        attune::gp::hyperparameters h{Eigen::VectorXd(5)};
        h.theta << -0.4, 0.3, 0.9, 0.5, -4.0;
        attune::gp::posterior const model(gp_reference::pairs(x), y, h);
        REQUIRE(model.observations() == n);

        Eigen::ArrayXd mean(70);
        Eigen::ArrayXd variance(70);
        Eigen::MatrixXd r2 = scaled_distances(candidates, x, h.weights());
        model.predict(r2, mean, variance);

        Eigen::MatrixXd const inverse = gp_reference::observed(x, h.theta).inverse();
        Eigen::MatrixXd const cross = gp_reference::covariance(candidates, x, h.theta);
        Eigen::VectorXd const want = cross * (inverse * y);
        for (Eigen::Index i = 0; i < 70; ++i) {
            double const spread = h.signal() - cross.row(i) * inverse * cross.row(i).transpose();
            CHECK(mean[i] == doctest::Approx(want[i]).epsilon(1e-8));
            CHECK(std::abs(variance[i] - spread) < 1e-9);
        }
    }
}

TEST_CASE("the posterior passes through observations without noise")
{
    attune::random_engine engine(22);
    Eigen::MatrixXd const x = gp_reference::points(10, 2, engine);
    Eigen::VectorXd const y = gp_reference::values(x);
    attune::gp::hyperparameters h{Eigen::VectorXd(4)};
    h.theta << -1.0, -1.0, 0.0, -25.0;
    attune::gp::posterior const model(gp_reference::pairs(x), y, h);
    Eigen::ArrayXd mean(10);
    Eigen::ArrayXd variance(10);
    Eigen::MatrixXd r2 = scaled_distances(x, x, h.weights());
    model.predict(r2, mean, variance);
    CHECK((mean.matrix() - y).cwiseAbs().maxCoeff() < 1e-6);
    CHECK(variance.maxCoeff() < 1e-6);
    CHECK(variance.minCoeff() >= 0.0);
}

TEST_CASE("a posterior without observations predicts the prior")
{
    attune::gp::posterior const model;
    Eigen::MatrixXd r2(3, 0);
    Eigen::ArrayXd mean(3);
    Eigen::ArrayXd variance(3);
    model.predict(r2, mean, variance);
    CHECK(mean.abs().maxCoeff() == 0.0);
    CHECK((variance == 1.0).all());
}
