// attune/search/published/baco.hpp - BaCO as published, without what its ablations remove, and its baseline CoT sampling.
// SPDX-License-Identifier: MIT
// Source   Hellsten et al., "BaCO", ASPLOS 2023: Sec. 3.2 (Gaussian process, gamma densities on
//          lengths, several starts), 3.3 (noise-free expected improvement, local search), 4.1
//          (distances), 4.2 (log transforms, hidden constraints), 5.3 (ablations). Numbers that are
//          not in the paper are those of its program: 10 initial configurations, 30,000 random
//          candidates, climbs from 10 of them and from the 3 best evaluated; a gamma density of
//          shape 1.3 and rate 0.1
// Source   Sec. 4.2 and 5.1: the baseline "CoT sampling", how ATF draws. random_searcher is the
//          other baseline, uniform over configurations
// Bench    bench/search/replay.cpp, bench/search/ablation.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>
#include <attune/search/random.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>

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

} // namespace attune::inline ATTUNE_ABI::published

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/published/baco.ipp>
#endif
