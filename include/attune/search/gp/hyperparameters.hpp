// attune/search/gp/hyperparameters.hpp - what a Gaussian process has to learn, and what is
// believed. SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       nothing
// Out      length scales, signal and noise as one vector of logarithms; their prior density
// Source   BaCO Sec. 3.2: gamma priors on the length scales, "flexible while cutting out extreme
//          settings"; it prints no shape and rate, those here are ours
// Depends  Eigen
// Tests    tests/search/gp/hyperparameters.cpp
#pragma once

#include <Eigen/Core>

#include <cmath>

namespace attune::gp {

/// theta: d + 2 natural logarithms: d length scales (in units of the normalised distances), the
/// signal variance, the noise variance (both in squared units of the standardised objective).
struct hyperparameters {
    Eigen::VectorXd theta;

    [[nodiscard]] Eigen::Index features() const noexcept { return theta.size() - 2; }
    [[nodiscard]] double signal() const { return std::exp(theta[features()]); }
    [[nodiscard]] double noise() const { return std::exp(theta[features() + 1]); }
    /// 1 / length^2 of every feature.
    [[nodiscard]] Eigen::VectorXd weights() const
    {
        return (-2.0 * theta.head(features()).array()).exp().matrix();
    }
};

/// Independent beliefs about each hyperparameter, flat enough to be overruled by thirty points.
/// Distances are normalised to [0, 1], so one set serves every space.
struct hyper_prior {
    double length_shape = 1.5;    ///< gamma density on each length scale
    double length_rate = 1.0;     ///< most likely logarithm: log(shape / rate)
    double log_signal_mean = 0.0; ///< normal density on log signal variance
    double log_signal_sd = 1.0;
    double log_noise_mean = -6.9; ///< normal density on log noise variance; exp(-6.9) = 1e-3
    double log_noise_sd = 1.5;

    /// The most probable hyperparameters before any value is seen.
    [[nodiscard]] hyperparameters mode(Eigen::Index features) const
    {
        hyperparameters h{Eigen::VectorXd(features + 2)};
        h.theta.head(features).setConstant(std::log(length_shape / length_rate));
        h.theta[features] = log_signal_mean;
        h.theta[features + 1] = log_noise_mean;
        return h;
    }

    /// log density of theta up to a constant; its gradient is added to `gradient` (d + 2) when
    /// given. The gamma density of l, seen as one of t = log l, is shape t - rate e^t (with the
    /// Jacobian).
    [[nodiscard]] double log_density(Eigen::VectorXd const& theta, Eigen::VectorXd* gradient) const
    {
        Eigen::Index const d = theta.size() - 2;
        double total = 0;
        for (Eigen::Index k = 0; k < d; ++k) {
            double const length = std::exp(theta[k]);
            total += length_shape * theta[k] - length_rate * length;
            if (gradient != nullptr) (*gradient)[k] += length_shape - length_rate * length;
        }
        double const signal = (theta[d] - log_signal_mean) / log_signal_sd;
        double const noise = (theta[d + 1] - log_noise_mean) / log_noise_sd;
        if (gradient != nullptr) {
            (*gradient)[d] -= signal / log_signal_sd;
            (*gradient)[d + 1] -= noise / log_noise_sd;
        }
        return total - 0.5 * (signal * signal + noise * noise);
    }
};

} // namespace attune::gp
