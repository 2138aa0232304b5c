// attune/search/bayes/bayesian_options.hpp - what may be chosen about a Bayesian search.
// SPDX-License-Identifier: MIT
// Source   defaults: by reasoning where a comment says so, else on four recorded kernels that no
//          result is reported for; one, the belief about derived features (model/surrogates.hpp),
//          on all eight (bench/search/ablation compares the choices)
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/memory.hpp>
#include <attune/search/bayes/objective_options.hpp>

#include <cstddef>

namespace attune::inline ATTUNE_ABI {

/// What a point counts as that was asked for but not told yet, in the unit of the model.
/// @param best      lowest value so far
/// @param expected  what the model expects of the point; `best` where it is no candidate
using pending_value = double (*)(double best, double expected);

/// As good as the best: others keep far away (constant liar).
[[nodiscard]] constexpr double assume_best(double best, double) noexcept { return best; }
/// As good as the model expects: others may come near where it is sure.
[[nodiscard]] constexpr double assume_expected(double, double expected) noexcept
{
    return expected;
}

/// What is chosen by numbers; what is chosen by type says basic_bayesian.hpp.
struct bayesian_options {
    /// Configurations that must have worked before the model is asked; at most twice as many are
    /// tried. The model is worth more than chance from the first few outcomes on: on recorded
    /// kernels 4 to 6 gain 0.015 of the optimum at 20 evaluations over 10 and lose nothing later.
    std::size_t initial_samples = 5;
    /// BaCO's minimum feasibility: in each step candidates less likely to work than a random limit
    /// are set aside; 0 in a fifth of the steps, else uniform in (0, 0.8).
    bool feasibility_limit = true;
    /// Where this share or more of the last 20 outcomes are failures (30 must be known), only
    /// candidates that probably work are considered, as long as there are any. 1: never. A failure
    /// may cost a crash or a time limit; on recorded kernels holding back cost nothing.
    double failure_share = 0.1;
    feature_options features{};
    objective_options objective{};

    /// Spaces of at most so many points are scored whole at every step; of larger ones `fresh`
    /// points are drawn at each refit, `walks` start at each of the `around` best points, and the
    /// `climbs` best candidates climb from neighbour to neighbour.
    std::size_t max_pool = 20000;
    std::size_t fresh = 4000;
    std::size_t around = 5;
    std::size_t walks = 2;
    std::size_t climbs = 3;
    /// In spaces larger than that, from 40 outcomes on, every so many suggestions the best
    /// neighbour of the best point: a sample of a huge space is too coarse to end a search with. 0:
    /// never.
    std::size_t finish_every = 3;

    /// Hyperparameters are fitted again after max(refit_after, refit_growth * n) new outcomes.
    /// Twice as often and half as often are no better.
    std::size_t refit_after = 5;
    double refit_growth = 0.1;
    /// beta of piBO: after n outcomes a user prior counts to the power beta / n.
    double prior_strength = 10;
    pending_value pending = assume_best;

    /// Observations the model works with; its cost per suggestion grows with their square.
    std::size_t memory_limit = 300;
    memory_policy memory = representative_memory;
};

} // namespace attune::inline ATTUNE_ABI
