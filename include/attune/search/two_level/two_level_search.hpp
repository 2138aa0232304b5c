// attune/search/two_level/two_level_search.hpp - Bayesian optimization of a cost model's scores; few are measured.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024 (Discovering Performant Tensor Programs with Bayesian Optimization), chapter 3
// Bench    bench/search/levels.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/two_level/two_level_options.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What one round did.
struct two_level_round {
    struct chosen {
        point where;
        double score = 0; ///< by the model, before it was measured
        bool is_random = false;
    };

    std::size_t outcomes = 0; ///< known when it began
    double best = 0;          ///< the best value of these, whose score is 1; 0 where none worked
    std::size_t inputs = 0;
    std::size_t groups = 0;    ///< of these inputs: their optimizers
    std::size_t valid = 0;     ///< suggestions that make a program, ...
    std::size_t invalid = 0;   ///< ... and those that make none
    std::size_t resets = 0;    ///< of memories so far
    std::vector<chosen> batch; ///< what is measured, by score, random ones last; see above
};

/// Search on two levels. The outer one measures a batch per round, and the model learns from all
/// that was measured: description::rows of each configuration, or its values where that is empty.
/// The inner one is Bayesian optimization of the model's score: inputs are the best measured
/// configurations and random ones; those that differ in tuned parameters alone share an optimizer
/// (all do, with one_optimizer), which is kept over rounds. tests/laws/searcher.hpp holds; the
/// first round is random, unless the model has learnt from programs of other tasks; then every
/// second configuration of it is one that description::expected has as the quickest of the random
/// ones, where there is that.
///
/// Scores are best value / value. Of values that are not all positive they are the place between
/// the worst and the best one. A failure scores 0.
/// Cost: per round the model learns anew, and predicts inputs * (valid + invalid) programs
class two_level_search {
public:
    explicit two_level_search(chain_of_trees space, std::uint64_t seed = 0,
                              two_level_options const& options = {});
    ~two_level_search();
    two_level_search(two_level_search&&) noexcept;
    two_level_search& operator=(two_level_search&&) noexcept;

    /// Up to `k` distinct points, fewer when a finite space is nearly exhausted. The next round
    /// begins when the batch is used up, with the outcomes that are known by then.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    /// Points outside the space are ignored; a point told again replaces its former outcome.
    void tell(point const& p, outcome const& result);

    /// Programs of other tasks, before the first ask(): as two_level_options::samples.
    void learn_from(cost_samples const& others);

    /// The value that the score of a point stood for when it was chosen for a batch; nothing where
    /// values are not positive, or once its outcome was told.
    [[nodiscard]] std::optional<double> prediction_of(point const& p) const;

    /// All rounds so far, except random ones before the first success.
    [[nodiscard]] std::span<two_level_round const> rounds() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/two_level/two_level_search.ipp>
#endif
