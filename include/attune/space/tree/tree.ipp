// attune/space/tree/tree.ipp - the walks of one tree.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::ptrdiff_t signed_offset(std::size_t offset) noexcept
{
    return static_cast<std::ptrdiff_t>(offset);
}

ATTUNE_INLINE std::uint32_t tree::end_node(leaf_count below)
{
    first_.push_back(values_.size());
    inner_.push_back(children_.size());
    below_.push_back(below);
    leaves_ = below;
    return root();
}

ATTUNE_INLINE std::uint32_t tree::add_last(std::span<std::uint32_t const> values)
{
    values_.insert(values_.end(), values.begin(), values.end());
    if (no_children_.size() < values.size())
        no_children_.resize(values.size(), tree_edge::no_child);
    return end_node(values.size());
}

ATTUNE_INLINE std::uint32_t tree::add_node(std::span<tree_edge const> edges)
{
    std::size_t const first = values_.size();
    values_.resize(first + edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i)
        values_[first + i] = edges[i].value;
    if (edges.front().child == tree_edge::no_child) {
        if (no_children_.size() < edges.size())
            no_children_.resize(edges.size(), tree_edge::no_child);
        return end_node(edges.size());
    }
    leaf_count total = 0;
    for (tree_edge const& edge : edges) {
        children_.push_back(edge.child);
        before_.push_back(total);
        leaf_count const below = below_[edge.child];
        total = below > uncountable - total ? uncountable : total + below;
    }
    return end_node(total);
}

ATTUNE_INLINE std::uint32_t tree::run_value(std::uint32_t leaf) const
{
    auto const behind = [](std::uint32_t l, value_run const& run) { return l < run.before; };
    value_run const run = *(std::upper_bound(runs_.begin(), runs_.end(), leaf, behind) - 1);
    return run.first + (leaf - run.before);
}

ATTUNE_INLINE std::uint32_t tree::leaves_below_value(std::uint32_t value) const
{
    auto const behind = [](std::uint32_t v, value_run const& run) { return v < run.first; };
    auto const next = std::upper_bound(runs_.begin(), runs_.end(), value, behind);
    if (next == runs_.begin()) return 0;
    std::uint32_t const end =
        next == runs_.end() ? static_cast<std::uint32_t>(leaves_) : next->before;
    value_run const run = *(next - 1);
    return std::min(end, run.before + (value - run.first));
}

ATTUNE_INLINE void tree::place(leaf_count leaf, std::span<coordinate> at) const
{
    ATTUNE_ASSERT(leaf < leaves_, "a leaf number must be below the number of leaves");
    if (!runs_.empty()) {
        at[parameters_.front()] = {run_value(static_cast<std::uint32_t>(leaf)), 0};
        return;
    }
    std::uint32_t node = root();
    for (std::uint32_t const parameter : parameters_) {
        if (is_last(node)) {
            at[parameter] = {values_[first_[node] + static_cast<std::size_t>(leaf)], 0};
            return;
        }
        auto const begin = before_.begin() + signed_offset(inner_[node]);
        auto const end = before_.begin() + signed_offset(inner_[node + 1]);
        auto const edge = std::upper_bound(begin, end, leaf) - 1;
        std::size_t const e = static_cast<std::size_t>(edge - begin);
        leaf -= *edge;
        at[parameter] = {values_[first_[node] + e], 0};
        node = children_[inner_[node] + e];
    }
}

ATTUNE_INLINE std::optional<leaf_count> tree::leaf_of(std::span<coordinate const> at) const
{
    if (!runs_.empty()) {
        std::uint32_t const value = at[parameters_.front()].index;
        std::uint32_t const leaf = leaves_below_value(value);
        bool const is_there = leaf < leaves_ && run_value(leaf) == value;
        return is_there ? std::optional<leaf_count>(leaf) : std::nullopt;
    }
    if (leaves_ == 0) return {};
    leaf_count leaf = 0;
    std::uint32_t node = root();
    for (std::uint32_t const parameter : parameters_) {
        std::span<std::uint32_t const> const row = values(node);
        auto const found = std::lower_bound(row.begin(), row.end(), at[parameter].index);
        if (found == row.end() || *found != at[parameter].index) return {};
        std::size_t const e = static_cast<std::size_t>(found - row.begin());
        if (is_last(node)) return leaf + e;
        leaf += before_[inner_[node] + e];
        node = children_[inner_[node] + e];
    }
    return leaf;
}

} // namespace attune::inline ATTUNE_ABI::detail
