// attune/search/gp/fit.hpp - the most probable hyperparameters.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       distances and values of the observed points, beliefs, where to start
// Out      hyperparameters that maximise likelihood times prior
// Source   BaCO Sec. 3.2: uniform draws of hyperparameters, the likeliest of them refined by
// L-BFGS;
//          we add a warm start and the mode of the prior
// Depends  Eigen; fit.ipp has LBFGSpp: link attune::search
// Tests    tests/search/gp/fit.cpp     Bench  bench/search/first_quality.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/search/gp/hyperparameters.hpp>
#include <attune/search/gp/likelihood.hpp>

#include <Eigen/Core>

#include <cmath>
#include <limits>

namespace attune::gp {

struct fit_options {
    int iterations = 30; ///< of L-BFGS per start
    int draws = 16;      ///< random hyperparameters tried when there is no warm start
    int refined = 1;     ///< how many of the draws are refined
};

/// What a fit found.
struct fit_result {
    hyperparameters best;
    double log_posterior = -std::numeric_limits<double>::infinity(); ///< up to a constant
    int evaluations = 0;                                             ///< of the likelihood
};

namespace detail {

/// Minus the log posterior, for a minimiser. Remembers the best argument it saw: LBFGSpp throws
/// when its line search gives up, and what it had reached by then is lost otherwise.
class negative_log_posterior {
public:
    negative_log_posterior(marginal_likelihood& likelihood, hyper_prior const& prior)
        : likelihood_(likelihood)
        , prior_(prior)
    {
    }

    double operator()(Eigen::VectorXd const& theta, Eigen::VectorXd& gradient)
    {
        ++evaluations;
        // Logarithms beyond 15 (a factor of 3e6) are no hyperparameters: a line search overshot.
        if (!theta.allFinite() || theta.cwiseAbs().maxCoeff() > 15.0) {
            gradient.setZero(theta.size());
            return refused;
        }
        double value = likelihood_(theta, &gradient);
        value += prior_.log_density(theta, &gradient);
        gradient = -gradient;
        if (!std::isfinite(value) || !gradient.allFinite()) {
            gradient.setZero(theta.size());
            return refused;
        }
        if (value > best_value) {
            best_value = value;
            best = theta;
        }
        return -value;
    }

    Eigen::VectorXd best;
    double best_value = -std::numeric_limits<double>::infinity();
    int evaluations = 0;

private:
    static constexpr double refused = 1e30;
    marginal_likelihood& likelihood_;
    hyper_prior const& prior_;
};

} // namespace detail

/// Maximises the log posterior from several starts and keeps the best end.
///
/// @param pairs   distances of n points in d features
/// @param values  y: n, standardised
/// @param warm    hyperparameters of an earlier fit; null at the first
/// @param engine  source of the random starts; untouched when `warm` is given
/// @return  the mode of the prior when n is 0 or nothing could be evaluated
/// Errors   none: failures of the line search end one start
/// Cost     some 20-40 evaluations of the likelihood per start
[[nodiscard]] fit_result fit(pair_table const& pairs,
                             Eigen::VectorXd const& values,
                             hyper_prior const& prior,
                             hyperparameters const* warm,
                             random_engine& engine,
                             fit_options const& options = {});

} // namespace attune::gp
