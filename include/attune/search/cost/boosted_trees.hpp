// attune/search/cost/boosted_trees.hpp - a cost model: gradient boosting, summed over a program's rows.
// SPDX-License-Identifier: MIT
// Source   Chen and Guestrin 2016 (XGBoost: gain, gamma, weights of leaves); apache/tvm 0.27,
//          cost_model/xgb_model.py (sum over rows, weights by score, constants)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// By default the constants of MetaSchedule.
struct boosting_options {
    std::size_t max_depth = 10;  ///< most splits above a leaf
    double gamma = 0.001;        ///< least gain of a split, in units of the loss
    double min_child_weight = 0; ///< least sum of weights of a leaf
    double lambda = 1;           ///< added to the weights of a leaf: XGBoost's default
    double eta = 0.2;            ///< share of a tree that is kept
    std::size_t rounds = 300;    ///< most trees (MetaSchedule: 10,000)
    std::size_t early_stop = 50; ///< ends after so many rounds without a lower training error
    std::size_t max_bins =
        64; ///< number of values of a feature that splits distinguish (XGBoost: exact), <= 256

    /// For programs of tasks that were not learnt: fewer splits, each with more programs.
    [[nodiscard]] static boosting_options for_other_tasks() noexcept
    {
        boosting_options out;
        out.max_depth = 4;
        out.min_child_weight = 3;
        out.lambda = 5;
        out.eta = .1;
        out.rounds = 100;
        return out;
    }
};

namespace detail::cost {

/// One node: a split, or a leaf.
struct boosted_node {
    static constexpr std::uint32_t leaf = ~std::uint32_t{0};

    std::uint32_t column = leaf;
    std::uint32_t left = 0; ///< child of values <= threshold; the other child is the next node
    double threshold = 0;
    double value = 0; ///< of a leaf: the term of a row's sum
};
using boosted_tree = std::vector<boosted_node>; // node 0 is the root

} // namespace detail::cost

/// The score of a program is the sum of the trees' values over its rows. Squared error, each
/// program weighted by its score, because the fast ones must be distinguished.
class boosted_trees {
public:
    explicit boosted_trees(boosting_options options = {});

    /// Grows all trees anew.
    /// @pre     one score per program, rows of one width
    /// Cost     rows x columns x depth per tree
    void learn(std::span<program_rows const> programs, std::span<double const> scores);
    [[nodiscard]] std::vector<double> predict(std::span<program_rows const> programs) const;

    /// The weighted mean squared error after each tree of the last learn().
    [[nodiscard]] std::span<double const> training_loss() const noexcept { return loss_; }
    [[nodiscard]] std::size_t trees() const noexcept { return trees_.size(); }

private:
    boosting_options options_;
    std::vector<detail::cost::boosted_tree> trees_;
    std::vector<double> loss_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/cost/boosted_trees.ipp>
#endif
