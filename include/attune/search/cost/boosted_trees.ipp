// attune/search/cost/boosted_trees.ipp - boosts over columns cut into bins.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/search/cost/boosted_trees.hpp>
#include <attune/search/cost/detail/gradient_tree.hpp>

#include <algorithm>

namespace attune::inline ATTUNE_ABI {

namespace detail::cost {

[[nodiscard]] inline double said_of(boosted_tree const& tree, std::span<double const> row) noexcept
{
    std::uint32_t at = 0;
    while (tree[at].column != boosted_node::leaf)
        at = tree[at].left + (row[tree[at].column] <= tree[at].threshold ? 0U : 1U);
    return tree[at].value;
}

} // namespace detail::cost

ATTUNE_INLINE boosted_trees::boosted_trees(boosting_options options)
    : options_(options)
{
}

ATTUNE_INLINE void boosted_trees::learn(std::span<program_rows const> programs,
                                        std::span<double const> scores)
{
    ATTUNE_ASSERT(programs.size() == scores.size(), "one score per program");
    trees_.clear();
    loss_.clear();
    detail::cost::binned_rows const data(programs, options_.max_bins);
    if (data.rows() == 0) return;
    detail::cost::gradient_tree_grower grower(data, options_);
    std::vector<double> predicted(programs.size(), 0.0);
    double weights = 0;
    for (double const y : scores)
        weights += y;
    if (!(weights > 0)) return;
    std::vector<double> gradient(data.rows());
    std::vector<double> hessian(data.rows());
    std::vector<double> added(programs.size());
    for (std::size_t round = 0; round < options_.rounds; ++round) {
        for (std::size_t r = 0; r < data.rows(); ++r) {
            std::uint32_t const p = data.program_of(r);
            gradient[r] = (predicted[p] - scores[p]) * scores[p];
            hessian[r] = scores[p];
        }
        detail::cost::boosted_tree tree = grower.grow(gradient, hessian);
        std::fill(added.begin(), added.end(), 0);
        for (std::size_t r = 0; r < data.rows(); ++r)
            added[data.program_of(r)] += grower.leaf_value(r);
        // Leaves are right for rows by themselves; the sum over many rows of a program may go too
        // far. The loss along the tree is a parabola, and no step is longer than to its minimum.
        double slope = 0;
        double curvature = 0;
        for (std::size_t p = 0; p < programs.size(); ++p) {
            slope -= (predicted[p] - scores[p]) * scores[p] * added[p];
            curvature += scores[p] * added[p] * added[p];
        }
        if (!(slope > 0) || !(curvature > 0)) break;
        double const step = std::min(options_.eta, slope / curvature);
        double loss = 0;
        for (std::size_t p = 0; p < programs.size(); ++p) {
            predicted[p] += step * added[p];
            loss += scores[p] * (predicted[p] - scores[p]) * (predicted[p] - scores[p]);
        }
        loss /= weights;
        if (!loss_.empty() && !(loss < loss_.back())) break; // rounding error is left
        for (detail::cost::boosted_node& node : tree)
            node.value *= step;
        trees_.push_back(std::move(tree));
        loss_.push_back(loss);
        constexpr double least_gain = 1e-3; // of the loss
        if (round >= options_.early_stop &&
            loss_[round] > (1 - least_gain) * loss_[round - options_.early_stop])
            break;
    }
}

ATTUNE_INLINE std::vector<double>
boosted_trees::predict(std::span<program_rows const> programs) const
{
    std::vector<double> out(programs.size(), 0.0);
    for (std::size_t p = 0; p < programs.size(); ++p)
        for (std::size_t r = 0; r < programs[p].count(); ++r)
            for (detail::cost::boosted_tree const& tree : trees_)
                out[p] += detail::cost::said_of(tree, programs[p].row(r));
    return out;
}

} // namespace attune::inline ATTUNE_ABI
