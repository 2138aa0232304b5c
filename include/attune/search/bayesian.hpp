// attune/search/bayesian.hpp - the default search: a model of the objective chooses the next point.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       a space and a seed; outcomes, through tell()
// Out      a model of `searcher` that finds good configurations in few evaluations
// Source   BaCO Sec. 3 (Gaussian process, noise-free expected improvement) and Sec. 4.2 (hidden
//          constraints); Hvarfner et al. 2022 (user priors); Ginsbourger et al. 2010 (constant
//          liar)
// Depends  std only; bayesian.ipp has Eigen and LBFGSpp: link attune::search
// Tests    tests/search/bayesian.cpp, tests/laws/searcher.hpp    Bench
// bench/search/first_quality.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace attune {

/// What may be chosen about the search. The defaults are meant for everyone.
struct bayesian_options {
    /// Random points before the model is asked; until so many succeeded, but at most twice as many.
    std::size_t initial_samples = 10;
    /// Spaces of at most so many points are scored whole at every step, larger ones by a sample.
    std::size_t max_pool = 20000;
    /// Size of that sample; the neighbours of the `neighbourhoods` best points join it.
    std::size_t fresh_samples = 2000;
    std::size_t neighbourhoods = 5;
    /// Hyperparameters are fitted again after max(refit_after, refit_growth * n) new outcomes.
    std::size_t refit_after = 5;
    double refit_growth = 0.1;
    /// beta of piBO: after n outcomes a user prior counts to the power beta / n.
    double prior_strength = 10;
};

/// Bayesian optimisation, minimising. A failed point teaches a second model where points fail.
///
/// The default configuration is not asked first by itself: evaluate it and tell it.
/// Points told that are not in the space are ignored. A point told again replaces what was known.
/// A measurement that is not finite counts as a failure.
class bayesian_searcher {
public:
    explicit bayesian_searcher(chain_of_trees space,
                               std::uint64_t seed = 0,
                               bayesian_options const& options = {});
    ~bayesian_searcher();
    bayesian_searcher(bayesian_searcher&&) noexcept;
    bayesian_searcher& operator=(bayesian_searcher&&) noexcept;

    /// Up to `k` distinct points, fewer when a finite space is nearly exhausted. A point asked and
    /// not told yet counts as if it had been as good as the best: the others keep away from it.
    /// Cost: per point some 10 ms with 60 outcomes and 10,000 candidates.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);

private:
    class state;
    std::unique_ptr<state> state_;
};

} // namespace attune
