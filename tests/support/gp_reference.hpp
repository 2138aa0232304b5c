// tests/support/gp_reference.hpp : a Gaussian process from the textbook, dense and slow, to compare
// with SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/search/gp/likelihood.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <numbers>

namespace gp_reference {

/// Points in [0, 1]^d. X: n x d, rows are points.
inline Eigen::MatrixXd points(Eigen::Index n, Eigen::Index d, attune::random_engine& engine)
{
    Eigen::MatrixXd x(n, d);
    for (Eigen::Index i = 0; i < x.size(); ++i)
        x.data()[i] = attune::uniform_unit(engine);
    return x;
}

/// A smooth function of each row, shifted to mean 0.
inline Eigen::VectorXd values(Eigen::MatrixXd const& x)
{
    Eigen::VectorXd y(x.rows());
    for (Eigen::Index i = 0; i < x.rows(); ++i)
        y[i] = std::sin(3 * x(i, 0)) + x.row(i).squaredNorm();
    return y.array() - y.mean();
}

inline attune::gp::pair_table pairs(Eigen::MatrixXd const& x)
{
    attune::gp::pair_table out{
        x.rows(), Eigen::MatrixXd(attune::gp::pair_table::pair_count(x.rows()), x.cols())};
    Eigen::Index pair = 0;
    for (Eigen::Index j = 0; j < x.rows(); ++j)
        for (Eigen::Index i = j + 1; i < x.rows(); ++i, ++pair)
            out.squared.row(pair) = (x.row(i) - x.row(j)).array().square().matrix();
    return out;
}

/// Covariance of rows of a and b from the definition. theta: d log length scales, log signal, log
/// noise.
inline Eigen::MatrixXd
covariance(Eigen::MatrixXd const& a, Eigen::MatrixXd const& b, Eigen::VectorXd const& theta)
{
    Eigen::Index const d = a.cols();
    Eigen::MatrixXd k(a.rows(), b.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i)
        for (Eigen::Index j = 0; j < b.rows(); ++j) {
            double r2 = 0;
            for (Eigen::Index f = 0; f < d; ++f)
                r2 += std::pow((a(i, f) - b(j, f)) / std::exp(theta[f]), 2);
            double const r = std::sqrt(r2);
            k(i, j) = std::exp(theta[d]) * (1 + std::sqrt(5.0) * r + 5 * r2 / 3) *
                      std::exp(-std::sqrt(5.0) * r);
        }
    return k;
}

/// Covariance of noisy observations at the rows of x.
inline Eigen::MatrixXd observed(Eigen::MatrixXd const& x, Eigen::VectorXd const& theta)
{
    Eigen::MatrixXd k = covariance(x, x, theta);
    k.diagonal().array() += std::exp(theta[x.cols() + 1]);
    return k;
}

/// log N(y; 0, K) by explicit inverse and determinant.
inline double
log_likelihood(Eigen::MatrixXd const& x, Eigen::VectorXd const& y, Eigen::VectorXd const& theta)
{
    Eigen::MatrixXd const k = observed(x, theta);
    double const n = static_cast<double>(y.size());
    return -0.5 * y.dot(k.inverse() * y) - 0.5 * std::log(k.determinant()) -
           0.5 * n * std::log(2 * std::numbers::pi);
}

} // namespace gp_reference
