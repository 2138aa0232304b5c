// attune/search/bayes/gp/maximise.hpp - finds the most probable hyperparameters.
// SPDX-License-Identifier: MIT
// Source   L-BFGS: Nocedal & Wright 2006, Algorithm 7.4. Own: steps are limited to 2 (a factor of
//          7) and projected into the box, and a descent ends at the first step with little gain,
//          because each evaluation is expensive. Solvers of libraries end by the gradient or after
//          a strong Wolfe line search, which need more evaluations.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/gp/belief.hpp>
#include <attune/search/bayes/gp/evidence.hpp>
#include <attune/search/bayes/gp/kernel.hpp>

#include <limits>

namespace attune::inline ATTUNE_ABI::detail::gp {

struct maximise_options {
    int iterations = 30; ///< of L-BFGS per start
    /// A start ends when an iteration gains less log density. Compared with 1e-7 this loses 0.01 on
    /// average over recorded kernels; 1e-3 costs a quarter more evaluations.
    double least_gain = 1e-2;
    bool from_prior = true;    ///< start at the prior's mode even when there is a warm start
    int draws = 0;             ///< random hyperparameters evaluated when there is no warm start
    bool always_draws = false; ///< with a warm start, too
    int refined = 1;           ///< number of these draws used as starts
};

struct maximum {
    hyperparameter_vector best;
    double log_density = -std::numeric_limits<double>::infinity(); ///< posterior, up to a constant
    int evaluations = 0;                                           ///< of the evidence
};

/// Climbs from the warm start and from the prior's mode; returns the higher maximum.
///
/// @param warm    hyperparameters of an earlier fit; null at the first fit
/// @param engine  source of the draws; unused without draws
/// @return  the mode of the prior when no evaluation succeeded
/// Errors   none
/// Cost     10 to 30 evaluations of the evidence per start
[[nodiscard]] maximum maximise(evidence& likelihood, hyper_density const& prior,
                               hyperparameter_vector const* warm, random_engine& engine,
                               maximise_options const& options = {});

} // namespace attune::inline ATTUNE_ABI::detail::gp

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/gp/maximise.ipp>
#endif
