// attune/search/two_level/two_level_search.hpp - Bayesian optimization of a cost model's scores, with few measurements.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024 (Discovering Performant Tensor Programs with Bayesian Optimization), ch. 3
//          for the search, Sec. 3.1 to 3.8 for the options; where it names no number, apache/tvm
//          0.27 or own, as noted
// Bench    bench/search/levels.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The rule by which the optimizer of a group chooses its next suggestion (Rocke 2024 Sec. 2.4.2).
enum class suggestion_rule : std::uint8_t {
    probability_of_improvement,
    expected_improvement,
    confidence_bound,
};

/// The numbers of a configuration that the optimizer of a group learns.
enum class decision_encoding : std::uint8_t {
    ranks,    ///< one per parameter: the index in its sorted list of values (Rocke 2024 Sec. 3.3.1)
    features, ///< those of the Bayesian search: feature_map
};

/// Action of an optimizer with more than memory_limit scores (Rocke 2024 Sec. 3.5).
enum class optimizer_memory : std::uint8_t {
    reset,               ///< all are removed; the inputs are registered again
    least_recently_used, ///< the oldest is removed
};

/// The suggestions of a round that are measured (Rocke 2024 Sec. 3.6).
enum class batch_choice : std::uint8_t {
    best_per_input, ///< the best one of each input
    best_overall,   ///< the best of all
};

/// The phase that decides the value of a parameter (Rocke 2024 Sec. 3.3).
enum class decision_role : std::uint8_t {
    tuned,            ///< by Bayesian optimization
    design,           ///< by no phase: inputs that differ in it are in different groups
    parallel,         ///< by trying all values, on the best suggestions
    compute_location, ///< by random changes, on the best suggestions
};

/// `design` if the condition of another parameter compares this one by == or !=, or uses it as true
/// or false; `compute_location` by parameter_description::is_location; `parallel` if the name is
/// THREADS, or ends with _THREADS; else `tuned`. A condition such as DEPTH < 512 makes no design:
/// it distinguishes sizes, not programs.
[[nodiscard]] decision_role default_decision_role(description const& space,
                                                  std::uint32_t parameter);

struct two_level_options {
    std::size_t batch = 64;    ///< configurations measured in a round (TVM)
    std::size_t inputs = 50;   ///< schedules at the start of a round
    double random_inputs = .2; ///< chance that an input is a random configuration, ...
    std::size_t draws = 8;     ///< ... the best of so many draws by the model (own)
    double random_batch = .2;  ///< chance that a configuration of the batch is random
    /// An input ends after so many suggestions that make a program, or that make none. Rocke 2024
    /// Sec. 3.5: 10 to 20 for each.
    std::size_t valid = 15;
    std::size_t invalid = 15;

    suggestion_rule rule = suggestion_rule::confidence_bound;
    double kappa = .1; ///< standard deviations that confidence_bound adds to the mean
    double xi = 0;     ///< standard deviations that an improvement must have, in the other rules
    decision_encoding encoding = decision_encoding::ranks;
    /// False: suggestions are any values of the tuned parameters, as published; one that breaks a
    /// constraint counts in `invalid`. True: suggestions are valid configurations; in a space of at
    /// most `candidates` configurations, all are candidates.
    bool within_constraints = false;
    std::size_t candidates = 400; ///< per input: random ones, besides steps from the best (own)
    optimizer_memory memory = optimizer_memory::reset;
    std::size_t memory_limit = 250;
    /// False: one optimizer per group of inputs that differ only in tuned parameters (Rocke 2024
    /// Sec. 3.3.1). True: one optimizer for all inputs, whose model also has the other parameters.
    bool one_optimizer = false;
    bool reduces_domain = false; ///< sequential domain reduction (Stander and Craig 2002)
    batch_choice choice = batch_choice::best_overall;
    std::size_t location_tries = 20; ///< random changes per suggestion in that phase (own)

    std::function<decision_role(description const&, std::uint32_t)> role = default_decision_role;
    /// Equal programs have equal numbers, and only one of them is measured (Rocke 2024 Sec. 3.7).
    /// Empty: description::structure; without that, the hash of description::rows; without rows, of
    /// the configuration.
    std::function<std::uint64_t(point const&)> structure{};
    /// Empty: boosted_trees.
    cost_model_factory model{};
    /// Measured programs of other tasks: the model also learns from them, so that the first round
    /// already follows it. Null: none. learn_from() of the search adds the same.
    std::shared_ptr<cost_samples const> samples{};
};

/// The course of one round.
struct two_level_round {
    struct chosen {
        point where;
        double score = 0; ///< by the model, before the measurement
        bool is_random = false;
    };

    std::size_t outcomes = 0; ///< known at its start
    double best = 0;          ///< the best value of these, whose score is 1; 0 without a success
    std::size_t inputs = 0;
    std::size_t groups = 0;    ///< optimizers of these inputs
    std::size_t valid = 0;     ///< suggestions that make a program
    std::size_t invalid = 0;   ///< suggestions that make none
    std::size_t resets = 0;    ///< number of resets of memories so far
    std::vector<chosen> batch; ///< configurations to measure, by score, random ones last; see above
};

/// Search on two levels. The outer level measures a batch per round, and the model learns from all
/// measured configurations: their description::rows, or their values without rows. The inner level
/// is Bayesian optimization of the model's score. Inputs are the best measured configurations and
/// random ones. Inputs that differ only in tuned parameters share an optimizer, which stays over
/// rounds; with one_optimizer all inputs share one. The first round is random, unless the model has
/// learnt from programs of other tasks. Then, with description::expected, every second
/// configuration is the random one with the least expectation.
///
/// Scores are best value / value; if values are not all positive, the place between the worst and
/// the best value. A failure scores 0.
/// Cost: per round the model learns again, and predicts inputs * (valid + invalid) programs
class two_level_search {
public:
    explicit two_level_search(chain_of_trees space, std::uint64_t seed = 0,
                              two_level_options const& options = {});

    /// Up to `k` distinct points, fewer if a finite space is nearly exhausted. The next round
    /// starts when the batch is used up, with the outcomes known at that time.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    /// Ignores points outside the space; a second outcome of a point replaces the first.
    void tell(point const& p, outcome const& result);

    /// Adds programs of other tasks, before the first ask(): as two_level_options::samples.
    void learn_from(cost_samples const& others);

    /// The value that corresponds to the score of a point when it was chosen for a batch. Nothing
    /// if values are not positive, or after its outcome.
    [[nodiscard]] std::optional<double> prediction_of(point const& p) const;

    /// All rounds so far, except random ones before the first success.
    [[nodiscard]] std::span<two_level_round const> rounds() const noexcept;

private:
    struct state;
    detail::owned_state<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/two_level/two_level_search.ipp>
#endif
