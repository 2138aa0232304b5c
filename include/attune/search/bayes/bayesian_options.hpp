// attune/search/bayes/bayesian_options.hpp - what may be chosen about a Bayesian search.
// SPDX-License-Identifier: MIT
// Source   defaults: by reasoning where a comment says so, else on four recorded kernels that no
//          result is reported for; one, the belief about derived features (model/model_choice.hpp),
//          on all eight (bench/search/ablation compares the choices)
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/objective_options.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

enum class start_sampling : std::uint8_t; // start/initial_design.hpp: spread is 0

/// What learns the objective.
enum class surrogate_model : std::uint8_t {
    product_process, ///< Gaussian process, product of Matern-5/2 factors with a shared base
    radial_process,  ///< Gaussian process, Matern-5/2 of the weighted distance (BaCO eq. 1-2)
    baco_process,    ///< the same with BaCO's gamma densities on length scales
    fixed_process,   ///< Matern-3/2, one fixed length scale, nothing learnt (Kernel Tuner)
    random_forest,   ///< regression trees; variance from their disagreement
};

/// What learns where configurations fail.
enum class feasibility_model : std::uint8_t {
    gaussian_process, ///< regresses the labels
    random_forest,    ///< BaCO Sec. 4.2
    none,             ///< failures are only not repeated
};

/// Which candidate is taken.
enum class acquisition_rule : std::uint8_t {
    expected_improvement,
    probability_of_improvement,
    lower_confidence_bound,
    multi,          ///< the three take turns; Willemsen et al. 2021 Sec. III-G
    advanced_multi, ///< ditto, with promotion
};

/// What a point counts as that was asked for but not told yet.
enum class pending_value : std::uint8_t {
    best,     ///< as good as the best: others keep far away (constant liar)
    expected, ///< as good as the model expects: others may come near where it is sure
};

/// Which observations the model keeps when there are more than `memory_limit`.
enum class memory_policy : std::uint8_t {
    representative, ///< the best, those far from each other, the latest: a third each
    recent,         ///< the best dozen and the latest (least recently used go first)
    reset,          ///< the best dozen, and what came since the limit was last reached
};

struct bayesian_options {
    /// Configurations that must have worked before the model is asked; at most twice as many are
    /// tried. The model is worth more than chance from the first few outcomes on: on recorded
    /// kernels 4 to 6 gain 0.015 of the optimum at 20 evaluations over 10 and lose nothing later.
    std::size_t initial_samples = 5;
    start_sampling start{};
    surrogate_model surrogate = surrogate_model::product_process;
    feasibility_model feasibility = feasibility_model::gaussian_process;
    /// BaCO's minimum feasibility: in each step candidates less likely to work than a random limit
    /// are set aside; 0 in a fifth of the steps, else uniform in (0, 0.8).
    bool feasibility_limit = true;
    /// Where this share or more of the last 20 outcomes are failures (30 must be known), only
    /// candidates that probably work are considered, as long as there are any. 1: never. A failure
    /// may cost a crash or a time limit; on recorded kernels holding back cost nothing.
    double failure_share = 0.1;
    feature_options features{};
    objective_options objective{};
    acquisition_rule acquire = acquisition_rule::expected_improvement;
    /// How much is added for not knowing; see acquisition_context. Beside it, `contextual` makes it
    /// follow the variance that is left (Willemsen et al. 2021 Sec. III-F).
    double exploration = 0;
    bool contextual = false;

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
    pending_value pending = pending_value::best;

    /// Observations the model works with; its cost per suggestion grows with their square.
    std::size_t memory_limit = 300;
    memory_policy memory = memory_policy::representative;
};

} // namespace attune::inline ATTUNE_ABI
