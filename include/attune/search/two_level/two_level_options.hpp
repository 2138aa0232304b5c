// attune/search/two_level/two_level_options.hpp - the policies of a search over a cost model's scores.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024 Sec. 3.1 to 3.8; where it names no number, apache/tvm 0.27 or own, as noted
//
// tested by search/two_level/two_level_search.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/cost/cost_model.hpp>
#include <attune/search/cost/cost_samples.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI {

/// How the optimizer of a group chooses its next suggestion (Rocke 2024 Sec. 2.4.2).
enum class suggestion_rule : std::uint8_t {
    probability_of_improvement,
    expected_improvement,
    confidence_bound,
};

/// The numbers of a configuration that the optimizer of a group sees.
enum class decision_encoding : std::uint8_t {
    ranks,    ///< one per parameter: the index in its sorted list of values (Rocke 2024 Sec. 3.3.1)
    features, ///< those of the Bayesian search: feature_map
};

/// What happens when an optimizer has more than memory_limit scores (Rocke 2024 Sec. 3.5).
enum class optimizer_memory : std::uint8_t {
    reset,               ///< all are forgotten; the inputs are registered again
    least_recently_used, ///< the oldest is forgotten
};

/// Which of the suggestions of a round are measured (Rocke 2024 Sec. 3.6).
enum class batch_choice : std::uint8_t {
    best_per_input, ///< the best one that each input led to
    best_overall,   ///< the best of all
};

/// Which phase decides the value of a parameter (Rocke 2024 Sec. 3.3).
enum class decision_role : std::uint8_t {
    tuned,            ///< by Bayesian optimization
    design,           ///< by none: inputs that differ in it are in different groups
    parallel,         ///< by trying all values, on the best suggestions
    compute_location, ///< by random changes, on the best suggestions
};

/// `design` where the condition of another parameter compares this one by == or !=, or takes it as
/// a truth; `compute_location` where parameter_description::is_location says so; `parallel` where
/// the name is THREADS, or ends with _THREADS; else `tuned`. A condition such as DEPTH < 512 makes
/// no design: it tells sizes apart, not programs.
[[nodiscard]] decision_role default_decision_role(description const& space,
                                                  std::uint32_t parameter);

struct two_level_options {
    std::size_t batch = 64;    ///< configurations that are measured in a round (TVM)
    std::size_t inputs = 50;   ///< schedules that a round begins with
    double random_inputs = .2; ///< chance that an input is a random configuration, ...
    std::size_t draws = 8;     ///< ... the best by the model of as many draws (own)
    double random_batch = .2;  ///< chance that a configuration of the batch is a random one
    /// An input ends with so many suggestions that make a program, or that make none. Rocke 2024
    /// Sec. 3.5: 10 to 20 for each.
    std::size_t valid = 15;
    std::size_t invalid = 15;

    suggestion_rule rule = suggestion_rule::confidence_bound;
    double kappa = .1; ///< standard deviations that confidence_bound adds to the mean
    double xi = 0;     ///< standard deviations that an improvement must have, in the other rules
    decision_encoding encoding = decision_encoding::ranks;
    /// False: suggestions are any values of the tuned parameters, as published, and those that
    /// break constraints count as invalid. True: only valid configurations are suggested, and a
    /// space of at most `candidates` configurations is suggested from whole.
    bool within_constraints = false;
    std::size_t candidates = 400; ///< per input: random ones, besides steps from the best (own)
    optimizer_memory memory = optimizer_memory::reset;
    std::size_t memory_limit = 250;
    /// False: one optimizer per group of inputs, those that differ in tuned parameters alone (Rocke
    /// 2024 Sec. 3.3.1). True: one for all inputs, whose model sees the other parameters too.
    bool one_optimizer = false;
    bool reduces_domain = false; ///< sequential domain reduction (Stander and Craig 2002)
    batch_choice choice = batch_choice::best_overall;
    std::size_t location_tries = 20; ///< random changes per suggestion of that phase (own)

    std::function<decision_role(description const&, std::uint32_t)> role = default_decision_role;
    /// Equal programs have equal numbers: only one of them is measured (Rocke 2024 Sec. 3.7).
    /// Empty: description::structure; where that is empty, too, the hash of description::rows, or
    /// of the configuration where there are none.
    std::function<std::uint64_t(point const&)> structure{};
    /// Empty: boosted_trees.
    cost_model_factory model{};
    /// Programs that were measured before, of other tasks: the model learns from them too, so that
    /// the first round already follows it. Null: none. learn_from() of the search is the same.
    std::shared_ptr<cost_samples const> samples{};
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/two_level/two_level_options.ipp>
#endif
