// tests/search/bayes/gp/projection.cpp : mirrors include/attune/search/bayes/gp/projection.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/projection.hpp>

#include <attune/core/random.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <doctest/doctest.h>

namespace {

template <class Scalar>
double worst(Eigen::Index n, Eigen::Index m)
{
    attune::random_engine engine(static_cast<std::uint64_t>(n + m));
    auto const random = [&](Eigen::Index rows, Eigen::Index columns) -> Eigen::MatrixXd {
        Eigen::MatrixXd out(rows, columns);
        for (Eigen::Index i = 0; i < out.size(); ++i)
            out.data()[i] = attune::uniform_unit(engine) - 0.5;
        return out;
    };
    Eigen::MatrixXd const square = random(n, n);
    Eigen::MatrixXd factor = square.triangularView<Eigen::Lower>();
    factor.diagonal().array() += 3.0;
    Eigen::MatrixXd const covariance = random(m, n);
    Eigen::VectorXd const of_values = random(n, 1);
    Eigen::VectorXd const of_ones = random(n, 1);
    Eigen::MatrixXd const want = factor.inverse() * covariance.transpose();

    // A part of a larger matrix, and sums that begin at row 2.
    using matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
    matrix around = matrix::Zero(m + 3, n + 1);
    around.block(1, 0, m, n) = covariance.template cast<Scalar>();
    attune::detail::gp::projection_sums sums;
    sums.resize(m + 2);
    attune::detail::gp::block_solver<Scalar> const solver(factor);
    solver.project(around.block(1, 0, m, n), of_values, of_ones, 7.0, 2, sums);

    Eigen::MatrixXd const got = around.block(1, 0, m, n).template cast<double>();
    double out = static_cast<double>(around.row(0).norm() + around.col(n).norm());
    if (n > 0) out += (got.transpose() - want).cwiseAbs().maxCoeff();
    out += (sums.values.tail(m).matrix() - want.transpose() * of_values).norm();
    out += (sums.ones.tail(m).matrix() - want.transpose() * of_ones).norm();
    out += (sums.variance.tail(m) - 7.0 + want.colwise().squaredNorm().transpose().array())
               .matrix()
               .norm();
    return out;
}

} // namespace

TEST_CASE("projections and their sums are those of a solve with the whole factor")
{
    for (Eigen::Index const n : {0, 1, 23, 24, 25, 60})
        for (Eigen::Index const m : {1, 30, 1100}) {
            CHECK(worst<double>(n, m) < 1e-11);
            CHECK(worst<float>(n, m) < 1e-3);
        }
}
