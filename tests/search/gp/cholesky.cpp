// tests/search/gp/cholesky.cpp : mirrors include/attune/search/gp/cholesky.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/gp/cholesky.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <optional>

namespace {

Eigen::MatrixXd product(Eigen::MatrixXd const& factor)
{
    Eigen::MatrixXd const lower = factor.triangularView<Eigen::Lower>();
    return lower * lower.transpose();
}

} // namespace

TEST_CASE("jittered_cholesky leaves a positive definite matrix as it is")
{
    Eigen::MatrixXd k(2, 2);
    k << 4, 2, 2, 5;
    Eigen::MatrixXd factor;
    CHECK(attune::gp::jittered_cholesky(k, factor) == std::optional<double>(0.0));
    CHECK((product(factor) - k).norm() < 1e-14);
}

TEST_CASE("jittered_cholesky factorises a singular matrix after a small shift")
{
    Eigen::MatrixXd const ones = Eigen::MatrixXd::Ones(5, 5);
    Eigen::MatrixXd factor;
    std::optional<double> const jitter = attune::gp::jittered_cholesky(ones, factor);
    REQUIRE(jitter);
    CHECK(*jitter > 0);
    CHECK(*jitter < 1e-6);
    CHECK((product(factor) - ones).cwiseAbs().maxCoeff() < 2 * *jitter);
}

TEST_CASE("jittered_cholesky refuses what no small shift can mend")
{
    Eigen::MatrixXd factor;
    Eigen::MatrixXd indefinite(2, 2);
    indefinite << 1, 3, 3, 1;
    CHECK_FALSE(attune::gp::jittered_cholesky(indefinite, factor));
    Eigen::MatrixXd broken = Eigen::MatrixXd::Identity(3, 3);
    broken(1, 0) = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(attune::gp::jittered_cholesky(broken, factor));
    broken(1, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(attune::gp::jittered_cholesky(broken, factor));
}

TEST_CASE("jittered_cholesky accepts a matrix without rows")
{
    Eigen::MatrixXd factor;
    CHECK(attune::gp::jittered_cholesky(Eigen::MatrixXd(0, 0), factor));
}
