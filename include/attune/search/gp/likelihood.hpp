// attune/search/gp/likelihood.hpp - how well hyperparameters explain the observations.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       squared distances of all pairs of observed points, feature by feature; their values
// Out      log marginal likelihood and its gradient in the logarithms of the hyperparameters
// Source   Rasmussen & Williams 2006 eq. (2.30) and (5.9); the gradient is arranged so that no
//          matrix of derivatives is formed: with W = a a^T - K^-1 and k' the slope of the
//          correlation, d/dlog l_f = -2 w_f sum over pairs of W o (s k') o D_f: one product with D
// Depends  Eigen
// Tests    tests/search/gp/likelihood.cpp     Bench  bench/search/first_quality.cpp
#pragma once

#include <attune/search/gp/cholesky.hpp>
#include <attune/search/gp/hyperparameters.hpp>
#include <attune/search/gp/matern.hpp>

#include <Eigen/Core>
#include <Eigen/Dense>

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

namespace attune::gp {

/// Squared distances of every pair of n points, kept once for all evaluations of a fit.
struct pair_table {
    Eigen::Index points = 0;
    /// n(n-1)/2 x d. Row order: pairs (i, j), i > j, with j in the outer loop, i in the inner.
    Eigen::MatrixXd squared;

    [[nodiscard]] static Eigen::Index pair_count(Eigen::Index points) noexcept
    {
        return points * (points - 1) / 2;
    }
};

/// K = signal * correlation + (noise + extra) * identity, lower triangle.
///
/// @param correlation  n(n-1)/2, in the order of pair_table
inline void assemble_covariance(Eigen::ArrayXd const& correlation,
                                Eigen::Index points,
                                double signal,
                                double noise,
                                Eigen::MatrixXd& covariance)
{
    covariance.resize(points, points);
    Eigen::Index pair = 0;
    for (Eigen::Index j = 0; j < points; ++j) {
        covariance(j, j) = signal + noise;
        Eigen::Index const below = points - j - 1;
        covariance.col(j).tail(below) = signal * correlation.segment(pair, below).matrix();
        pair += below;
    }
}

/// Evaluates the likelihood again and again, keeping its work space.
class marginal_likelihood {
public:
    /// @param pairs   n points, d features; must outlive this object
    /// @param values  y: n, mean 0
    marginal_likelihood(pair_table const& pairs, Eigen::VectorXd const& values)
        : pairs_(pairs)
        , values_(values)
    {
    }

    /// log p(y | theta).
    ///
    /// @param theta          d + 2, see hyperparameters
    /// @param[out] gradient  d + 2, resized; not computed when null
    /// @return  minus infinity (and a zero gradient) where K cannot be factorised
    /// Cost     n^3 (1/3 + 2/3 with gradient) + 2 d n^2; allocates only when n grows
    double operator()(Eigen::VectorXd const& theta, Eigen::VectorXd* gradient)
    {
        hyperparameters const h{theta};
        Eigen::Index const n = pairs_.points;
        Eigen::Index const d = h.features();
        double const signal = h.signal();
        double const noise = h.noise();
        Eigen::VectorXd const weights = h.weights();
        scaled_ = (pairs_.squared * weights).array();
        matern52::evaluate(scaled_, correlation_, slope_);
        assemble_covariance(correlation_, n, signal, noise, covariance_);
        std::optional<double> const jitter = jittered_cholesky(covariance_, factor_);
        if (gradient != nullptr) gradient->setZero(d + 2);
        if (!jitter) return -std::numeric_limits<double>::infinity();

        auto const lower = std::as_const(factor_).triangularView<Eigen::Lower>();
        Eigen::VectorXd alpha = lower.solve(values_);
        double const fit = alpha.squaredNorm();
        lower.transpose().solveInPlace(alpha);
        double const size = static_cast<double>(n);
        double const value = -0.5 * fit - factor_.diagonal().array().log().sum() -
                             0.5 * size * std::log(2.0 * std::numbers::pi);
        if (gradient == nullptr) return value;

        root_.setIdentity(n, n);
        lower.solveInPlace(root_);
        inverse_.setZero(n, n);
        inverse_.selfadjointView<Eigen::Lower>().rankUpdate(root_.transpose());
        Eigen::Index pair = 0;
        for (Eigen::Index j = 0; j < n; ++j) {
            Eigen::Index const below = n - j - 1;
            slope_.segment(pair, below) *=
                signal * (alpha[j] * alpha.tail(below) - inverse_.col(j).tail(below)).array();
            pair += below;
        }
        gradient->head(d).noalias() = pairs_.squared.transpose() * slope_.matrix();
        gradient->head(d).array() *= -2.0 * weights.array();
        // tr(W K) = y.a - n, and K less its diagonal terms is d K / d log signal.
        double const trace = alpha.squaredNorm() - inverse_.trace();
        (*gradient)[d] = 0.5 * (fit - size - (noise + *jitter) * trace);
        (*gradient)[d + 1] = 0.5 * noise * trace;
        return value;
    }

private:
    pair_table const& pairs_;
    Eigen::VectorXd const& values_;
    Eigen::ArrayXd scaled_, correlation_, slope_;
    Eigen::MatrixXd covariance_, factor_, root_, inverse_;
};

} // namespace attune::gp
