// tests/search/bayes/gp/blocks.cpp : mirrors include/attune/search/bayes/gp/blocks.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/blocks.hpp>

#include <attune/core/random.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

namespace {

Eigen::MatrixXd positive_definite(Eigen::Index n, attune::random_engine& engine)
{
    Eigen::MatrixXd a(n, n);
    for (Eigen::Index i = 0; i < a.size(); ++i)
        a.data()[i] = attune::uniform_unit(engine) - 0.5;
    Eigen::MatrixXd k = a * a.transpose();
    k.diagonal().array() += 0.1;
    return k;
}

} // namespace

TEST_CASE("factor, inverse factor and inverse are those of Eigen for sizes around the blocks")
{
    attune::random_engine engine(1);
    for (Eigen::Index const n : {1, 2, 23, 24, 25, 47, 48, 49, 100}) {
        Eigen::MatrixXd const k = positive_definite(n, engine);
        Eigen::MatrixXd factor = k;
        Eigen::MatrixXd inverse_factor;
        Eigen::MatrixXd scratch;
        REQUIRE(attune::detail::gp::factorise_and_invert(factor, inverse_factor, scratch));
        Eigen::MatrixXd const lower = k.llt().matrixL();
        Eigen::MatrixXd const found = factor.triangularView<Eigen::Lower>();
        CHECK((found - lower).cwiseAbs().maxCoeff() < 1e-12);
        CHECK((inverse_factor * lower - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff() <
              1e-11);
        Eigen::MatrixXd inverse;
        attune::detail::gp::inverse_from_factor(inverse_factor, inverse);
        Eigen::MatrixXd const whole = inverse.selfadjointView<Eigen::Lower>();
        CHECK((whole * k - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff() < 1e-10);
    }
}

TEST_CASE("what is not positive definite or not finite is refused")
{
    Eigen::MatrixXd scratch;
    Eigen::MatrixXd inverse;
    Eigen::MatrixXd k = Eigen::MatrixXd::Identity(30, 30);
    k(29, 29) = -1;
    CHECK_FALSE(attune::detail::gp::factorise_and_invert(k, inverse, scratch));
    for (double const bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        k = Eigen::MatrixXd::Identity(30, 30);
        k(28, 3) = bad;
        CHECK_FALSE(attune::detail::gp::factorise_and_invert(k, inverse, scratch));
    }
}

TEST_CASE("jitter escalates until a singular matrix can be factorised, and no further")
{
    Eigen::MatrixXd factor;
    Eigen::MatrixXd inverse;
    Eigen::MatrixXd scratch;
    Eigen::MatrixXd const ones = Eigen::MatrixXd::Ones(40, 40);
    auto const jitter = attune::detail::gp::jittered_inverse(ones, factor, inverse, scratch);
    REQUIRE(jitter);
    CHECK(*jitter > 0);
    CHECK(*jitter <= 1e-2);
    Eigen::MatrixXd const lower = factor.triangularView<Eigen::Lower>();
    Eigen::MatrixXd want = ones;
    want.diagonal().array() += *jitter;
    CHECK((lower * lower.transpose() - want).cwiseAbs().maxCoeff() < 1e-12);

    Eigen::MatrixXd const good = Eigen::MatrixXd::Identity(3, 3);
    CHECK(*attune::detail::gp::jittered_inverse(good, factor, inverse, scratch) == 0.0);
    CHECK(*attune::detail::gp::jittered_inverse({}, factor, inverse, scratch) == 0.0);
    Eigen::MatrixXd hopeless = -ones;
    CHECK_FALSE(attune::detail::gp::jittered_inverse(hopeless, factor, inverse, scratch));
    hopeless = ones;
    hopeless.diagonal().array() -= 0.5;
    CHECK_FALSE(attune::detail::gp::jittered_inverse(hopeless, factor, inverse, scratch));
}

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
