// attune/search/gp/fit.ipp - the most probable hyperparameters: several starts of L-BFGS.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       see fit.hpp
// Out      definitions; included by search.ipp, in one translation unit
// Source   see fit.hpp
// Depends  Eigen, LBFGSpp
// Tests    tests/search/gp/fit.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/search/gp/fit.hpp>

#include <Eigen/Core>

#include <LBFGS.h>
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace attune::gp {

namespace detail {

/// One start of L-BFGS; its result is in `target`.
static void refine_by_lbfgs(negative_log_posterior& target, Eigen::VectorXd start, int iterations)
{
    LBFGSpp::LBFGSParam<double> parameters;
    parameters.m = 8;
    parameters.max_iterations = iterations;
    parameters.epsilon = 1e-2; // of the gradient: a change of 0.01 in log likelihood per e-fold
    parameters.epsilon_rel = 1e-4;
    parameters.past = 1;
    parameters.delta = 1e-5;
    parameters.max_linesearch = 12;
    LBFGSpp::LBFGSSolver<double> solver(parameters);
    double value = 0;
    try {
        solver.minimize(target, start, value);
    } catch (std::runtime_error const&) {
        // The line search found no lower value; target.best holds the best one seen.
    } catch (std::logic_error const&) {
        // Or it was handed a direction that ascends, from rounding: the same applies.
    }
}

} // namespace detail

fit_result fit(pair_table const& pairs,
               Eigen::VectorXd const& values,
               hyper_prior const& prior,
               hyperparameters const* warm,
               random_engine& engine,
               fit_options const& options)
{
    Eigen::Index const d = pairs.squared.cols();
    fit_result result;
    result.best = prior.mode(d);
    if (pairs.points == 0) return result;

    marginal_likelihood likelihood(pairs, values);
    detail::negative_log_posterior target(likelihood, prior);
    detail::refine_by_lbfgs(target, result.best.theta, options.iterations);
    if (warm != nullptr && warm->theta.size() == d + 2)
        detail::refine_by_lbfgs(target, warm->theta, options.iterations);
    else {
        struct candidate {
            double value;
            int order;
            Eigen::VectorXd theta;
        };
        std::vector<candidate> drawn;
        Eigen::VectorXd unused;
        for (int i = 0; i < options.draws; ++i) {
            Eigen::VectorXd theta = result.best.theta;
            for (Eigen::Index k = 0; k < theta.size(); ++k)
                theta[k] += 4.0 * uniform_unit(engine) - 2.0; // within a factor of 7 of the mode
            double const value = target(theta, unused);
            drawn.push_back({value, i, std::move(theta)});
        }
        std::sort(drawn.begin(), drawn.end(), [](candidate const& a, candidate const& b) {
            return a.value != b.value ? a.value < b.value : a.order < b.order;
        });
        int const refined = std::min(options.refined, options.draws);
        for (int i = 0; i < refined; ++i)
            detail::refine_by_lbfgs(
                target, drawn[static_cast<std::size_t>(i)].theta, options.iterations);
    }
    result.evaluations = target.evaluations;
    if (target.best.size() == d + 2) {
        result.best.theta = target.best;
        result.log_posterior = target.best_value;
    }
    return result;
}

} // namespace attune::gp
