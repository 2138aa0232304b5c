// attune/search/bayes/bayesian_options.hpp - the options of a Bayesian search, and of what its model sees.
// SPDX-License-Identifier: MIT
// Source   defaults: by the reasons in the comments, else by four recorded kernels that are not
//          used for any reported result; the prior of derived features (model/surrogates.hpp) by
//          all eight (bench/search/ablation compares the choices)
//
// These gave no gain in the first forty evaluations on the eight kernels: a choice between models
// with and without derived features by their evidence, parity and occupancy as features, sampled
// hyperparameters, an integrated mean, 3 or 4 initial samples, probability of improvement,
// confidence bounds, weighted expected improvement. Small differences take hundreds of paired runs:
// see the errors that bench.search.replay prints.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>
#include <attune/search/transfer/past_session.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Compression of values before they are standardised.
struct objective_options {
    bool logarithm = true;   ///< if every value is positive
    double bend_spans = 1;   ///< compression begins at median + this * (median - best)
    double bent_slope = 0.3; ///< slope beyond, in (0, 1]
    double unit = 0;         ///< the model's unit, of logarithms; 0: the deviation of the values
};

/// Places of the values of a parameter on a line from 0 to 1.
enum class value_places : std::uint8_t {
    /// Numbers by logarithm if all are above 0, else by difference.
    logarithmic,
    /// Numbers by difference, also points of intervals.
    linear,
    /// Like `linear`, but numbers and choices of a table are one step apart. The step is 1 over the
    /// length of the longest table (Kernel Tuner's normalisation).
    ranked,
};

/// The features that a feature_map makes.
struct feature_options {
    value_places places = value_places::logarithmic; ///< not for tiles and permutations
    std::optional<order_distance> orders{};          ///< replaces the metric of each permutation
    bool from_constraints = true;                    ///< sides of comparisons, ratios, flags
    bool from_alignment = true;                      ///< how many times 2 divides a whole number
    bool from_user = true;        ///< features that the user declared with features(...)
    std::size_t max_derived = 32; ///< the user's come first, then in order of declaration
    /// Derived features with more distinct values are rounded to this many levels.
    std::uint32_t max_derived_levels = 60;
    /// Spaces of at most this many points are enumerated to find the values that occur; from larger
    /// ones, and those with real parameters, `sample` points are drawn.
    std::size_t enumerate = 32768;
    std::size_t sample = 4096;
    std::uint64_t seed = 1; ///< of these draws
};

/// The options that are numbers; basic_bayesian.hpp documents those that are types.
struct bayesian_options {
    /// Successful configurations before the model chooses; at most twice as many are tried. The
    /// model is better than chance from the first few outcomes on. On recorded kernels 4 to 6
    /// samples are better than 10 by 0.015 of the optimum at 20 evaluations, and no worse later.
    std::size_t initial_samples = 5;
    /// The most configurations tried before the model chooses, however few succeeded; 0: twice
    /// initial_samples.
    std::size_t initial_attempts = 0;
    /// True if the model of the objective learns failures as slow values. Without them it expects
    /// good values beside failures, and only the model of failures corrects that.
    bool surrogate_sees_failures = true;
    /// BaCO's minimum feasibility: each step skips candidates whose chance of success is below a
    /// random limit; 0 in a fifth of the steps, else uniform in (0, 0.8).
    bool feasibility_limit = true;
    /// If at least this share of the last 20 outcomes failed, the search considers only candidates
    /// that probably succeed. This needs 30 outcomes, and such candidates. 1: never. A failure may
    /// cost a crash or a time limit; on recorded kernels the restriction cost nothing.
    double failure_share = 0.1;
    feature_options features{};
    objective_options objective{};

    /// Spaces of at most this many points are scored whole at every step. In larger spaces each
    /// refit draws `fresh` points, and starts `walks` at each of the `around` best points.
    /// Neighbours of the best point are added, and those of the `climbs` best candidates; climbs 0:
    /// none of both.
    std::size_t max_pool = 20000;
    std::size_t fresh = 4000;
    std::size_t around = 5;
    std::size_t walks = 2;
    std::size_t climbs = 3;
    int climb_rounds = 5; ///< of each climb; a longer one continues at the next step
    /// In spaces larger than max_pool, from 40 outcomes on, every finish_every-th suggestion is the
    /// best neighbour of the best point. A sample of a huge space hardly contains it. 0: never.
    std::size_t finish_every = 3;

    /// Hyperparameters are fitted again after max(refit_after, refit_growth * n) new outcomes.
    /// Twice or half as often is no better.
    std::size_t refit_after = 5;
    double refit_growth = 0.1;
    /// beta of piBO: after n outcomes the weight of a user prior is raised to the power beta / n.
    double prior_strength = 10;
    /// A pending point has the best value (constant liar), so that other suggestions avoid its
    /// surroundings. Each suggestion costs an assumed outcome for every pending point. From this
    /// many pending points on, the search chooses an eighth as many points at once. It returns them
    /// one after the other, as if workers asked together.
    std::size_t many_pending = 64;

    /// The most observations that the model uses; its cost per suggestion grows with their square.
    std::size_t memory_limit = 300;

    /// Outcomes at other sizes, on other devices, or of earlier versions, for the start.
    std::vector<past_session> past{};
    warm_start_options warm_start{};
    /// True if description::expected counts as one more session.
    bool believes_expectation = true;
};

} // namespace attune::inline ATTUNE_ABI
