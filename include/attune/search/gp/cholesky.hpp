// attune/search/gp/cholesky.hpp - a Cholesky factor that rounding cannot deny.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       a covariance matrix, positive definite up to rounding
// Out      its lower factor, and what had to be added to the diagonal
// Source   own; the escalation by tens is common practice (GPy, GPyTorch)
// Depends  Eigen
// Tests    tests/search/gp/cholesky.cpp
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <optional>

namespace attune::gp {

/// L with L L^T = K + jitter * identity.
///
/// @param covariance    K: n x n, the lower triangle is read
/// @param[out] factor   L: n x n, lower; above the diagonal it holds the values of K
/// @return  the jitter: 0 when none was needed, else from 1e-10 of the mean diagonal on, times ten
///          until the factorisation succeeds; nothing when 1e-2 does not help, or K is not finite
/// Cost     n^3 / 3 per attempt
[[nodiscard]] inline std::optional<double> jittered_cholesky(Eigen::MatrixXd const& covariance,
                                                             Eigen::MatrixXd& factor)
{
    if (covariance.rows() == 0) {
        factor.resize(0, 0);
        return 0.0;
    }
    double const scale = covariance.diagonal().mean();
    if (!(scale > 0)) return {};
    for (double relative = 0; relative < 2e-2; relative = relative > 0 ? 10 * relative : 1e-10) {
        factor = covariance;
        factor.diagonal().array() += relative * scale;
        Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>, Eigen::Lower> const attempt(factor);
        if (attempt.info() == Eigen::Success && factor.diagonal().allFinite() &&
            factor.diagonal().minCoeff() > 0)
            return relative * scale;
    }
    return {};
}

} // namespace attune::gp
