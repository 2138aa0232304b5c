// attune/search/cost/xgboost_trees.hpp - the cost model of boosted_trees, grown by the library XGBoost.
// SPDX-License-Identifier: MIT
// Source   Chen and Guestrin 2016; apache/tvm 0.27, cost_model/xgb_model.py (sum over rows, weights
//          by score, constants)
//
// The target attune::xgboost needs libxgboost (Debian: libxgboost-dev). No other header includes
// this one, and it includes nothing of XGBoost.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/cost/boosted_trees.hpp>

#include <memory>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Models `cost_model` as boosted_trees: a second implementation, for comparison.
///
/// The score of a program is the sum over its rows; squared error, weighted by score. Trees are
/// XGBoost's by histograms of boosting_options::max_bins, in one thread. If all rows of a program
/// are in one leaf, its score changes by the leaf's value times the number of rows. Therefore the
/// curvature of a row is that of its program times the number of its rows.
///
/// Errors   attune::error: a call of XGBoost failed
/// Example  attune::two_level_options o;
///          o.model = [] { return attune::any_cost_model(attune::xgboost_trees()); };
class xgboost_trees {
public:
    explicit xgboost_trees(boosting_options options = {});
    ~xgboost_trees();
    xgboost_trees(xgboost_trees&&) noexcept;
    xgboost_trees& operator=(xgboost_trees&&) noexcept;

    /// Grows all trees anew.
    /// @pre  one score per program, rows of one width
    void learn(std::span<program_rows const> programs, std::span<double const> scores);
    /// Numbers are read as float, as XGBoost does.
    [[nodiscard]] std::vector<double> predict(std::span<program_rows const> programs) const;

    /// The weighted mean squared error before each round of the last learn(), and after all.
    [[nodiscard]] std::span<double const> training_loss() const noexcept { return loss_; }

private:
    struct booster;

    boosting_options options_;
    std::unique_ptr<booster> trees_; ///< null: nothing was learnt
    std::vector<double> loss_;
};

} // namespace attune::inline ATTUNE_ABI

#if defined(ATTUNE_HEADER_ONLY) && __has_include(<xgboost/c_api.h>)
#include <attune/search/cost/xgboost_trees.ipp>
#endif
