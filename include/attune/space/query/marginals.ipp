// attune/space/query/marginals.ipp - one pass up and one pass down each tree.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/query/marginals.hpp>
#include <attune/space/tree/tree.hpp>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Adds the leaves under every edge of `t` to the count of its value.
inline void count_values(tree const& t, std::vector<std::vector<leaf_count>>& counts)
{
    if (is_free(t)) {
        for (std::uint32_t leaf = 0; leaf < t.leaves(); ++leaf)
            counts[t.parameters().front()][t.run_value(leaf)] = 1;
        return;
    }
    std::vector<leaf_count> const below = leaves_below(t);
    std::vector<leaf_count> ways(t.node_count(), 0); // number of paths from the root
    std::vector<std::size_t> const level = levels_of(t);
    ways[root_of(t)] = 1;
    for (std::uint32_t node = root_of(t) + 1; node-- > 0;) {
        if (ways[node] == 0) continue;
        std::span<std::uint32_t const> const values = t.values(node);
        std::span<std::uint32_t const> const children = t.children(node);
        std::vector<leaf_count>& of_level = counts[t.parameters()[level[node]]];
        for (std::size_t e = 0; e < values.size(); ++e) {
            if (children[e] == tree_edge::no_child) {
                of_level[values[e]] += ways[node];
                continue;
            }
            of_level[values[e]] += ways[node] * below[children[e]];
            ways[children[e]] += ways[node];
        }
    }
}

} // namespace detail

ATTUNE_INLINE marginals::marginals(chain_of_trees const& space, std::uint32_t most_values)
{
    space.require_exact("counting configurations by value");
    std::vector<parameter_description> const& all = space.describe().parameters;
    auto const is_left_out = [&](detail::tree const& t) {
        return detail::is_free(t) && all[t.parameters().front()].value_count() > most_values;
    };
    in_tree_.resize(all.size());
    tree_of_.assign(in_tree_.size(), space.tree_count());
    for (std::size_t t = 0; t < space.tree_count(); ++t) {
        bool const counts = !is_left_out(space.tree_at(t));
        for (std::uint32_t const parameter : space.tree_at(t).parameters()) {
            tree_of_[parameter] = t;
            if (counts) in_tree_[parameter].assign(all[parameter].value_count(), 0);
        }
        tree_leaves_.push_back(space.tree_at(t).leaves());
        if (!counts) continue;
        detail::count_values(space.tree_at(t), in_tree_);
    }
}

ATTUNE_INLINE std::optional<leaf_count> marginals::configurations(std::uint32_t parameter,
                                                                  std::uint32_t index) const
{
    leaf_count product = in_tree_[parameter][index];
    if (product == 0) return product;
    for (std::size_t t = 0; t < tree_leaves_.size(); ++t) {
        if (t == tree_of_[parameter]) continue;
        if (product > detail::uncountable / tree_leaves_[t]) return {};
        product *= tree_leaves_[t];
    }
    return product;
}

ATTUNE_INLINE double marginals::share(std::uint32_t parameter, std::uint32_t index) const
{
    return static_cast<double>(in_tree_[parameter][index]) /
           static_cast<double>(tree_leaves_[tree_of_[parameter]]);
}

} // namespace attune::inline ATTUNE_ABI
