// attune/search/bayesian.hpp - a model of the objective chooses the next point.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3 (Gaussian process, noise-free expected improvement) and Sec. 4.2 (hidden
//          constraints); Hvarfner et al. 2022 (user priors); Ginsbourger et al. 2010 (constant
//          liar). What is ours: bayesian_options.hpp and the headers of the parts.
// Bench    bench/search/replay.cpp, bench/search/ablation.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

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
    /// not told yet counts as options.pending says, so that the others keep away from it.
    /// Cost: per point some milliseconds with 100 outcomes and 10,000 candidates.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    /// What became known of `p` beside its outcome, told before or after that: a number for each of
    /// description::code_metrics, NaN for none. They are features from then on, and the searcher
    /// guesses those of other points. Numbers of another count, or of points that are not in the
    /// space, are ignored.
    void tell_metrics(point const& p, std::span<double const> numbers);

    /// How much better than the best the best candidate is expected to be, as a share of the best
    /// where all values are positive, else in their unit: the mean over the model's belief about
    /// the most promising candidates together. Nothing while the model knows too little (nothing
    /// worked, or the initial design is not complete).
    /// Cost: that of some tens of suggestions.
    [[nodiscard]] std::optional<double> expected_gain();

    /// Mean squared error of what the model expected of its last 30 points that worked, over the
    /// variance of their outcomes; 1 is what their mean would achieve. Nothing before 20 of them.
    /// Both in the unit of the model when each point was chosen.
    [[nodiscard]] std::optional<double> prediction_error() const;

private:
    class state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayesian.ipp>
#endif
