// attune/search/bayesian.hpp - the default Bayesian search, and the ask and tell of every Bayesian search, compiled once.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3 (Gaussian process, noise-free expected improvement) and Sec. 4.2 (hidden
//          constraints); Hvarfner et al. 2022 (user priors); Ginsbourger et al. 2010 (constant
//          liar). Own parts: see bayesian_options.hpp and the headers of the parts.
// Bench    bench/search/replay.cpp, bench/search/ablation.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

class search_parts;

/// A Bayesian search whose surrogate, feasibility, acquisition and design are behind a table of
/// functions.
class bayesian_loop {
public:
    bayesian_loop(chain_of_trees space, std::uint64_t seed, bayesian_options const& options,
                  std::unique_ptr<search_parts> parts);

    /// Up to `k` distinct points, fewer if a finite space is nearly exhausted. A pending point
    /// counts as an outcome with the best value, so that other suggestions avoid it. Cost: per
    /// point some milliseconds with 100 outcomes and 10,000 candidates.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    /// Sets the code metrics of `p`, before or after its outcome: a number for each of
    /// description::code_metrics, NaN if missing. They become features, which the searcher predicts
    /// for other points. Ignores a wrong count, and a point outside the space.
    void tell_metrics(point const& p, std::span<double const> numbers);
    /// Sets the distances of `p` to the bounds of its quantities, before tell() of a measurement,
    /// or of a failure because of a bound. A model of each quantity learns them. The score of a
    /// candidate is multiplied by the chance that it keeps all bounds.
    /// @param value   of the objective; NaN if not measured
    /// @param excess  one per bound: > 0 beyond it; NaN if unknown. A wrong count is ignored
    void tell_excess(point const& p, double value, std::span<double const> excess);

    /// Adds to bayesian_options::past, before the first ask() and expected_gain(); later calls are
    /// ignored.
    void inform(std::vector<past_session> const& past);

    /// The expected improvement by the best candidate, over the joint posterior of the most
    /// promising ones. A share of the best value if all values are positive, else in their unit.
    /// Nothing before the first success, or before the initial design is complete. Cost: that of
    /// some tens of suggestions
    [[nodiscard]] std::optional<double> expected_gain();

    /// Mean squared error of the predictions for the model's last 30 successful points, over the
    /// variance of their outcomes; predicting their mean gives 1. Nothing before 20 points. The
    /// unit is the model's at the choice of each point.
    [[nodiscard]] std::optional<double> prediction_error() const;
    /// The value that the model expected of a point when it chose the point. Nothing after the
    /// outcome, or if the model did not choose the point.
    [[nodiscard]] std::optional<double> prediction_of(point const& p) const;

private:
    class state;
    owned_state<state> state_; ///< its members refer to each other
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// Bayesian optimisation, minimising. A second model learns where points fail.
///
/// Does not propose the default configuration first: evaluate it, and pass its outcome to tell().
/// Ignores points outside the space. A second outcome of a point replaces the first. A measurement
/// that is not finite counts as a failure.
class bayesian_searcher : public detail::bayesian_loop {
public:
    explicit bayesian_searcher(chain_of_trees space, std::uint64_t seed = 0,
                               bayesian_options const& options = {});
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayesian.ipp>
#endif
