// attune/search/cost/boosted_trees.ipp - boosts regression trees over columns cut into bins.
// SPDX-License-Identifier: MIT
// Source   trees: Chen and Guestrin 2016 (XGBoost), eq. (6), (7): weights of leaves, gain of a
//          split; trees are grown to their depth, then splits that gain less than gamma are removed
#pragma once

#include <attune/core/error.hpp>
#include <attune/search/cost/boosted_trees.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail::cost {

/// The rows of all programs, column after column, values as bins. Columns with one value are left
/// out.
class binned_rows {
public:
    struct column {
        std::uint32_t source = 0;
        std::vector<double> cuts;      ///< ascending: bin b holds values in (cuts[b - 1], cuts[b]]
        std::vector<std::uint8_t> bin; ///< by row
    };

    binned_rows(std::span<program_rows const> programs, std::size_t max_bins)
    {
        std::size_t width = 0;
        for (std::uint32_t p = 0; p < programs.size(); ++p) {
            program_of_.insert(program_of_.end(), programs[p].count(), p);
            width = std::max(width, programs[p].width);
        }
        std::vector<double> value(rows());
        for (std::uint32_t c = 0; c < width; ++c) {
            std::size_t r = 0;
            for (program_rows const& program : programs)
                for (std::size_t i = 0; i < program.count(); ++i)
                    value[r++] = program.row(i)[c];
            column made{c, cuts_of(value, std::min<std::size_t>(max_bins, 256)), {}};
            if (made.cuts.empty()) continue;
            for (double const v : value)
                made.bin.push_back(static_cast<std::uint8_t>(
                    std::lower_bound(made.cuts.begin(), made.cuts.end(), v) - made.cuts.begin()));
            columns_.push_back(std::move(made));
        }
    }

    [[nodiscard]] std::size_t rows() const noexcept { return program_of_.size(); }
    [[nodiscard]] std::uint32_t program_of(std::size_t row) const { return program_of_[row]; }
    [[nodiscard]] std::vector<column> const& columns() const noexcept { return columns_; }

private:
    /// Cuts midway between neighbouring values; if there are more values than bins, with about
    /// equally many rows per bin.
    [[nodiscard]] static std::vector<double> cuts_of(std::vector<double> value, std::size_t bins)
    {
        std::sort(value.begin(), value.end());
        std::vector<std::size_t> steps; // rows before each new value
        for (std::size_t r = 1; r < value.size(); ++r)
            if (value[r - 1] < value[r]) steps.push_back(r);
        std::vector<double> out;
        std::size_t const share = steps.size() < bins ? 0 : value.size() / bins;
        std::size_t last = 0;
        for (std::size_t const r : steps) {
            if (r - last < share) continue;
            out.push_back(std::midpoint(value[r - 1], value[r]));
            last = r;
            if (out.size() + 1 == bins) break;
        }
        return out;
    }

    std::vector<std::uint32_t> program_of_;
    std::vector<column> columns_;
};

/// Grows trees over one set of rows. Keeps scratch memory between trees.
class gradient_tree_grower {
public:
    /// @pre  both outlive this object
    gradient_tree_grower(binned_rows const& data, boosting_options const& how)
        : data_(data)
        , how_(how)
        , order_(data.rows())
        , leaf_value_(data.rows())
    {
    }

    /// Node 0 is the root. gradient, hessian: by row.
    [[nodiscard]] boosted_tree grow(std::span<double const> gradient,
                                    std::span<double const> hessian)
    {
        struct task {
            std::uint32_t node;
            std::size_t depth;
        };
        std::iota(order_.begin(), order_.end(), 0U);
        boosted_tree tree(1);
        nodes_ = {{0, data_.rows(), 0, 0, 0}};
        for (std::size_t r = 0; r < data_.rows(); ++r) {
            nodes_[0].gradient += gradient[r];
            nodes_[0].hessian += hessian[r];
        }
        std::vector<task> open{{0, 0}};
        while (!open.empty()) {
            task const now = open.back();
            open.pop_back();
            if (now.depth >= how_.max_depth) continue;
            split const best = best_split(nodes_[now.node], gradient, hessian);
            if (best.column == nullptr) continue;
            auto const left = static_cast<std::uint32_t>(tree.size());
            divide(now.node, best);
            boosted_node& node = tree[now.node];
            node.column = best.column->source;
            node.left = left;
            node.threshold = best.column->cuts[best.bin];
            tree.resize(tree.size() + 2);
            open.push_back({left, now.depth + 1});
            open.push_back({left + 1, now.depth + 1});
        }
        prune(tree);
        return tree;
    }

    /// The value of the last tree for a row.
    [[nodiscard]] double leaf_value(std::size_t row) const { return leaf_value_[row]; }

private:
    struct grown {
        std::size_t begin = 0; // of order_
        std::size_t end = 0;
        double gradient = 0;
        double hessian = 0;
        double gain = 0; // of its split
    };
    struct split {
        double gain = 0;
        binned_rows::column const* column = nullptr;
        std::size_t bin = 0; // the last one on the left
        double gradient = 0; // on the left
        double hessian = 0;
    };
    struct sums {
        double gradient = 0;
        double hessian = 0;
        std::uint32_t rows = 0;
    };

    [[nodiscard]] double quality(double gradient, double hessian) const noexcept
    {
        double const weight = hessian + how_.lambda;
        return weight > 0 ? gradient * gradient / weight : 0;
    }

    [[nodiscard]] split best_split(grown const& at, std::span<double const> gradient,
                                   std::span<double const> hessian) const
    {
        split best;
        double const whole = quality(at.gradient, at.hessian);
        best.gain = 1e-12 * (1 + whole); // less is rounding error
        std::array<sums, 256> by_bin;
        for (binned_rows::column const& column : data_.columns()) {
            std::fill_n(by_bin.begin(), column.cuts.size() + 1, sums{});
            for (std::size_t i = at.begin; i < at.end; ++i) {
                std::uint32_t const r = order_[i];
                sums& bin = by_bin[column.bin[r]];
                bin.gradient += gradient[r];
                bin.hessian += hessian[r];
                ++bin.rows;
            }
            sums left;
            for (std::size_t b = 0; b < column.cuts.size(); ++b) {
                if (by_bin[b].rows == 0) continue;
                left.gradient += by_bin[b].gradient;
                left.hessian += by_bin[b].hessian;
                left.rows += by_bin[b].rows;
                if (left.rows == at.end - at.begin) break;
                double const other = at.hessian - left.hessian;
                if (left.hessian < how_.min_child_weight || other < how_.min_child_weight) continue;
                double const gain = quality(left.gradient, left.hessian) +
                                    quality(at.gradient - left.gradient, other) - whole;
                if (gain > best.gain) best = {gain, &column, b, left.gradient, left.hessian};
            }
        }
        return best;
    }

    void divide(std::uint32_t node, split const& best)
    {
        grown const at = nodes_[node];
        std::size_t cut = at.begin;
        right_.clear();
        for (std::size_t i = at.begin; i < at.end; ++i) {
            std::uint32_t const r = order_[i];
            if (best.column->bin[r] <= best.bin)
                order_[cut++] = r;
            else
                right_.push_back(r);
        }
        std::copy(right_.begin(), right_.end(), order_.begin() + static_cast<std::ptrdiff_t>(cut));
        nodes_[node].gain = best.gain;
        nodes_.push_back({at.begin, cut, best.gradient, best.hessian, 0});
        nodes_.push_back({cut, at.end, at.gradient - best.gradient, at.hessian - best.hessian, 0});
    }

    /// Removes splits that gain too little, from the leaves up, and sets the leaves' values.
    void prune(boosted_tree& tree)
    {
        auto const is_leaf = [&](std::uint32_t n) { return tree[n].column == boosted_node::leaf; };
        for (std::size_t n = tree.size(); n-- > 0;) { // children come after their parent
            std::uint32_t const left = tree[n].left;
            if (tree[n].column == boosted_node::leaf || nodes_[n].gain >= how_.gamma) continue;
            if (is_leaf(left) && is_leaf(left + 1)) tree[n] = {};
        }
        std::vector<std::uint32_t> open{0};
        while (!open.empty()) {
            std::uint32_t const n = open.back();
            open.pop_back();
            if (!is_leaf(n)) {
                open.push_back(tree[n].left);
                open.push_back(tree[n].left + 1);
                continue;
            }
            double const weight = nodes_[n].hessian + how_.lambda;
            tree[n].value = weight > 0 ? -nodes_[n].gradient / weight : 0;
            for (std::size_t i = nodes_[n].begin; i < nodes_[n].end; ++i)
                leaf_value_[order_[i]] = tree[n].value;
        }
    }

    binned_rows const& data_;
    boosting_options how_;
    std::vector<std::uint32_t> order_; // of rows: each node has a part of it
    std::vector<std::uint32_t> right_; // rows of the right child, while a node is divided
    std::vector<double> leaf_value_;
    std::vector<grown> nodes_; // as the tree's
};

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
        // Leaves are right for single rows; the sum over many rows of a program may go too far. The
        // loss along the tree is a parabola, and the step ends at its minimum at the latest.
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
        if (!loss_.empty() && !(loss < loss_.back())) break; // only rounding error is left
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
