// attune/search/gp/posterior.hpp - what the model believes at points not evaluated.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       distances and values of the observed points, hyperparameters; then distances to others
// Out      mean and variance of the noise-free objective there
// Source   Rasmussen & Williams 2006, Algorithm 2.1. Blocks of candidates times the inverse factor:
//          at up to 100 observations that product is faster than a triangular solve.
// Depends  Eigen
// Tests    tests/search/gp/posterior.cpp     Bench  bench/search/first_quality.cpp
#pragma once

#include <attune/search/gp/cholesky.hpp>
#include <attune/search/gp/hyperparameters.hpp>
#include <attune/search/gp/likelihood.hpp>
#include <attune/search/gp/matern.hpp>

#include <Eigen/Core>
#include <Eigen/Dense>

#include <optional>
#include <utility>

namespace attune::gp {

/// A Gaussian process of mean 0 conditioned on n observations.
class posterior {
public:
    /// Knows nothing: predicts mean 0 and the variance of the signal.
    posterior() = default;

    /// @param pairs   squared distances of n points in d features
    /// @param values  y: n, standardised
    /// @param h       hyperparameters of d features
    /// Where the covariance cannot be factorised even with jitter, the object knows nothing.
    /// Cost     2/3 n^3
    posterior(pair_table const& pairs, Eigen::VectorXd const& values, hyperparameters const& h)
        : signal_(h.signal())
    {
        Eigen::Index const n = pairs.points;
        Eigen::ArrayXd correlation = (pairs.squared * h.weights()).array();
        matern52::apply(correlation);
        Eigen::MatrixXd covariance;
        assemble_covariance(correlation, n, signal_, h.noise(), covariance);
        Eigen::MatrixXd factor;
        std::optional<double> const jitter = jittered_cholesky(covariance, factor);
        if (!jitter) return;
        inverse_factor_.setIdentity(n, n);
        auto const lower = std::as_const(factor).triangularView<Eigen::Lower>();
        lower.solveInPlace(inverse_factor_);
        alpha_ = lower.solve(values);
        lower.transpose().solveInPlace(alpha_);
    }

    [[nodiscard]] Eigen::Index observations() const noexcept { return alpha_.size(); }

    /// Mean and variance at a block of candidates.
    ///
    /// @param r2             b x n, squared scaled distances to the observations; overwritten
    /// @param[out] mean      b, in units of y
    /// @param[out] variance  b, of f: without noise; >= 0
    /// Cost     b n (n + one exp); best with b near 256, so that the block stays in the cache
    void predict(Eigen::Ref<Eigen::MatrixXd> r2,
                 Eigen::Ref<Eigen::ArrayXd> mean,
                 Eigen::Ref<Eigen::ArrayXd> variance) const
    {
        if (observations() == 0) {
            mean.setZero();
            variance.setConstant(signal_);
            return;
        }
        matern52::apply(r2.array());
        r2 *= signal_;
        mean = (r2 * alpha_).array();
        variance =
            (signal_ - (r2 * inverse_factor_.transpose()).rowwise().squaredNorm().array()).max(0.0);
    }

private:
    double signal_ = 1;
    Eigen::MatrixXd inverse_factor_; ///< L^-1: n x n, lower
    Eigen::VectorXd alpha_;          ///< K^-1 y: n
};

} // namespace attune::gp
