// attune/search/published/other_tools.hpp - other tools' searches as published: BaCO, Kernel Tuner's Bayesian optimization, OpenTuner's default.
// SPDX-License-Identifier: MIT
// Source   baco: Hellsten et al., "BaCO", ASPLOS 2023: Sec. 3.2 (Gaussian process, gamma densities
//          on lengths, several starts), 3.3 (noise-free expected improvement, local search), 4.1
//          (distances), 4.2 (log transforms, hidden constraints), 5.3 (ablations). Numbers that are
//          not in the paper are those of its program: 10 initial configurations, 30,000 random
//          candidates, climbs from 10 of them and from the 3 best evaluated; a gamma density of
//          shape 1.3 and rate 0.1
// Source   cot_sampling: the baseline of its Sec. 4.2 and 5.1, how ATF draws. random_searcher is
//          the other baseline, uniform over configurations
// Source   kernel_tuner_bo: Willemsen, van Nieuwpoort, van Werkhoven, "Bayesian Optimization for
//          auto-tuning GPU kernels", 2021: Sec. III-B (fixed length scale), III-D (normalised
//          discrete space, failures ignored), III-E (Latin hypercube), III-F (contextual variance),
//          III-G (multi, advanced multi). Numbers that are not in the paper are those of its
//          program: length scale 1.5 and skip threshold 5
// Source   opentuner_default: Ansel et al., "OpenTuner: an extensible framework for program
//          autotuning", PACT 2014. Numbers and rules that are not in the paper are those of its
//          program, version 0.8.8: AUCBanditMetaTechniqueA, four techniques by an AUC bandit
// Bench    bench/search/replay.cpp, bench/search/ablation.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/random.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI {

/// Draws the children of a tree's node with equal probability, so configurations of sparse parts
/// are more likely; each configuration at most once. Ends when a finite space is exhausted.
class child_wise_searcher : public random_searcher {
public:
    child_wise_searcher(chain_of_trees space, std::uint64_t seed);
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::published {

[[nodiscard]] inline search_factory cot_sampling() { return search_with<child_wise_searcher>(); }

/// The parts of BaCO that its paper switches off one by one.
struct baco_options {
    enum class surrogate : std::uint8_t { gaussian_process, random_forest };

    std::size_t initial_samples = 10; ///< uniform; failures count
    surrogate model = surrogate::gaussian_process;
    order_distance orders = order_distance::spearman; ///< of all permutations (Fig. 9)
    bool log_values = true;                           ///< if all are positive (Fig. 9)
    bool log_inputs = true;                           ///< of positive parameters (Fig. 9)
    bool priors = true;                               ///< on length scales (Fig. 9)
    bool several_starts = true;                       ///< of the fit of hyperparameters
    bool local_search = true;                         ///< of the acquisition
    bool feasibility = true;                          ///< a random forest learns failures (Fig. 10)
    bool feasibility_limit = true; ///< the random epsilon_f of Sec. 4.2 (Fig. 10)
};

/// BaCO. The surrogate ignores failed configurations, hyperparameters are fitted after every
/// outcome, and the features are the parameters only.
///
/// Deviations: no configuration is proposed twice. Spaces of at most 30,000 configurations are
/// scored whole: local search from random configurations could find no better one. The limit of
/// feasibility is 0 in a fifth of the steps, else uniform in (0, 0.8): the paper gives no numbers.
/// Example   options.search = attune::published::baco();
[[nodiscard]] search_factory baco(baco_options const& options = {});

/// BaCO-- of Fig. 8: without log transforms, priors, local search and several starts, and with
/// permutations compared as if they were choices.
[[nodiscard]] baco_options baco_minus_minus_options();
[[nodiscard]] search_factory baco_minus_minus();

struct kernel_tuner_options {
    enum class acquisition : std::uint8_t {
        expected_improvement,
        probability_of_improvement,
        lower_confidence_bound,
        multi,          ///< the three in turn; members that agree with others are skipped
        advanced_multi, ///< the three in turn; the worst is skipped, the best promoted
    };
    /// The two covariances that Sec. III-B finds suitable.
    enum class covariance : std::uint8_t {
        matern32, ///< length scale 1.5
        matern52, ///< length scale 0.75: ours, the paper says "below 1"
    };

    acquisition choose = acquisition::advanced_multi;
    covariance kernel = covariance::matern32;
    std::size_t initial_samples = 20;    ///< successful ones; uniform ones replace failures
    bool latin_hypercube = true;         ///< else all are uniform
    std::size_t skip_threshold = 5;      ///< number of times before a member is skipped or promoted
    double discount = 0.9;               ///< of older values of a member
    double required_improvement = 0.05;  ///< distance from the mean score, as a share of it
    std::optional<double> exploration{}; ///< lambda; nothing: contextual variance
    /// True, as published: lambda of the first two acquisitions has the unit of the values. Its
    /// effect depends on the unit of time (seconds in attune). False: in units of the values'
    /// deviation.
    bool exploration_in_values = true;
};

/// Kernel Tuner's search. The only effect of a failure is that the configuration is not repeated.
/// Values are not logarithms. The values of a parameter are one step apart.
///
/// Deviations: an acquisition receives all outcomes before its turn. Values are standardised again
/// after every third outcome, a round of the three. Spaces of more than 200,000 configurations are
/// sampled.
/// Example   options.search = attune::published::kernel_tuner_bo();
[[nodiscard]] search_factory kernel_tuner_bo(kernel_tuner_options const& options = {});

/// OpenTuner's default: an AUC bandit over
/// - differential evolution of 30 members, in which each parameter changes with probability 0.2;
/// - the best configuration with a parameter drawn anew, each other one with probability 0.1;
/// - the best configuration with a parameter moved by a normal number, each other one with
///   probability 0.3;
/// - Nelder-Mead from a random simplex, which ends when it has converged.
/// A configuration that failed has an infinite value: it is worse than all successes and equal to
/// any other failure. Numbers are compared by their places in the table, as ATF passes them to
/// OpenTuner; booleans, categories and orders that a formula cannot combine are drawn anew.
///
/// In a mutation one parameter, drawn at random, always changes. Deviations:
/// - OpenTuner has no constraints; here a proposal that breaks one becomes the nearest valid
///   configuration.
/// - A proposal that was measured before counts as a use without a new best, and the next technique
///   is asked in the same step. OpenTuner credits it again if it was a new best when measured.
/// - A technique that has ended or waits for outcomes also gets such a use, which OpenTuner does
///   not count: asked for several configurations at once, the bandit chooses worse.
/// - A normal step goes at least to the next number of a table; OpenTuner draws again only if the
///   whole configuration is unchanged. A table's length is its number of values less one; in
///   OpenTuner, its number of values.
/// - If no technique has a new proposal for long, a random configuration is proposed.
///
/// @param options  OpenTuner's exploration 0.05 and window 500 by default
/// Example   options.search = attune::published::opentuner_default();
[[nodiscard]] search_factory opentuner_default(search::auc_bandit_options const& options = {});

} // namespace attune::inline ATTUNE_ABI::published

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/published/other_tools.ipp>
#endif
