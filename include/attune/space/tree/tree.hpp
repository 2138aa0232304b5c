// attune/space/tree/tree.hpp - the valid settings of parameters that depend on each other: nodes, their construction, walks over them.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.2 and Rasch et al. (ATF): one level per parameter, one child per value of a
//          valid setting. Own: equal subtrees are stored once, and a node has the number of leaves
//          before each child, so that numbering is a walk and sampling has no bias.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/build_options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One child of a node: the value taken and the subtree below it.
struct tree_edge {
    std::uint32_t value = 0; ///< index into the table of the level's parameter
    std::uint32_t child = no_child;

    /// The child of an edge of the last level.
    static constexpr std::uint32_t no_child = ~std::uint32_t{0};

    [[nodiscard]] friend bool operator==(tree_edge const&, tree_edge const&) = default;
};

/// Consecutive values in the table of a parameter, up to the next run.
struct value_run {
    std::uint32_t first = 0;  ///< index of its first value
    std::uint32_t before = 0; ///< number of values in earlier runs
};

/// The valid settings of one group of parameters. Leaves are numbered depth first.
class tree {
public:
    /// All `count` values of an unconstrained parameter; no memory per value.
    tree(std::uint32_t parameter, std::uint32_t count)
        : tree(parameter, {{0, 0}}, count)
    {
    }
    /// `count` values of an unconstrained parameter; 8 bytes per run, no nodes.
    /// @pre runs are not empty, ascending and disjoint
    tree(std::uint32_t parameter, std::vector<value_run> runs, std::uint32_t count)
        : parameters_{parameter}
        , leaves_(count)
        , runs_(std::move(runs))
    {
    }
    /// A tree for add_node().  @param parameters  the parameter of each level, from the root down
    explicit tree(std::vector<std::uint32_t> parameters)
        : parameters_(std::move(parameters))
    {
    }

    /// Appends a node and returns its number; the last node added is the root.
    /// @pre edges are not empty, ascending by value, their children are numbers returned before
    std::uint32_t add_node(std::span<tree_edge const> edges);
    /// Appends a node of the last level, as add_node().  @pre  values are not empty, ascending
    std::uint32_t add_last(std::span<std::uint32_t const> values);

    /// The parameter of each level, from the root down.
    [[nodiscard]] std::span<std::uint32_t const> parameters() const noexcept { return parameters_; }
    /// Number of valid settings; or `uncountable`.
    [[nodiscard]] leaf_count leaves() const noexcept { return leaves_; }
    /// Nodes and edges in memory; both 0 if values are stored as runs.
    [[nodiscard]] std::size_t node_count() const noexcept { return below_.size(); }
    [[nodiscard]] std::size_t edge_count() const noexcept { return values_.size(); }
    [[nodiscard]] std::span<std::uint32_t const> values(std::uint32_t node) const noexcept
    {
        return std::span(values_).subspan(first_[node], first_[node + 1] - first_[node]);
    }
    [[nodiscard]] std::span<std::uint32_t const> children(std::uint32_t node) const noexcept
    {
        std::size_t const count = first_[node + 1] - first_[node];
        if (is_last(node)) return std::span(no_children_).first(count);
        return std::span(children_).subspan(inner_[node], count);
    }

    /// Writes the setting of leaf `leaf` into the coordinates of this tree's parameters.
    /// @param at  one coordinate per parameter of the space
    /// @pre   leaf < leaves()
    /// Cost   one binary search per level
    void place(leaf_count leaf, std::span<coordinate> at) const;

    /// The leaf number of the setting in `at`; nothing if that setting is not valid.
    /// Cost   one binary search per level
    [[nodiscard]] std::optional<leaf_count> leaf_of(std::span<coordinate const> at) const;

    /// The values of the only parameter, ascending; empty if there are nodes.
    [[nodiscard]] std::span<value_run const> runs() const noexcept { return runs_; }
    /// The value of a leaf, and the number of leaves with a smaller value.
    /// @pre values are stored as runs: node_count() is 0; leaf < leaves()
    [[nodiscard]] std::uint32_t run_value(std::uint32_t leaf) const;
    [[nodiscard]] std::uint32_t leaves_below_value(std::uint32_t value) const;

private:
    [[nodiscard]] std::uint32_t root() const noexcept
    {
        return static_cast<std::uint32_t>(below_.size() - 1);
    }

    std::uint32_t end_node(leaf_count below);

    /// Returns true if `node` is on the last level.
    [[nodiscard]] bool is_last(std::uint32_t node) const noexcept
    {
        return inner_[node + 1] == inner_[node];
    }

    std::vector<std::uint32_t> parameters_;
    leaf_count leaves_ = 0;
    std::vector<value_run> runs_;       // of the only parameter; empty if there are nodes
    std::vector<std::size_t> first_{0}; // node -> its first edge; size is nodes + 1
    std::vector<leaf_count> below_;     // node -> leaves below it
    std::vector<std::uint32_t> values_; // edge -> value
    // Inner edges are those above the last level. Most edges are on the last level.
    std::vector<std::size_t> inner_{0};      // node -> its first inner edge; size is nodes + 1
    std::vector<std::uint32_t> children_;    // inner edge -> node
    std::vector<leaf_count> before_;         // inner edge -> leaves below earlier siblings
    std::vector<std::uint32_t> no_children_; // no_child, as often as a node has edges
};

/// Returns true if the tree is one parameter with values as runs: leaves, but no nodes.
[[nodiscard]] inline bool is_free(tree const& t) noexcept { return t.node_count() == 0; }

/// @pre  !is_free(t)
[[nodiscard]] inline std::uint32_t root_of(tree const& t) noexcept
{
    return static_cast<std::uint32_t>(t.node_count() - 1);
}

/// The level of each node, 0 for the root; parameters().size() for an unreachable node.
[[nodiscard]] inline std::vector<std::size_t> levels_of(tree const& t)
{
    std::size_t const nowhere = t.parameters().size();
    std::vector<std::size_t> level(t.node_count(), nowhere);
    if (!level.empty()) level.back() = 0;
    for (std::size_t node = level.size(); node-- > 0;) {
        if (level[node] == nowhere) continue;
        for (std::uint32_t const child : t.children(static_cast<std::uint32_t>(node)))
            if (child != tree_edge::no_child) level[child] = level[node] + 1;
    }
    return level;
}

/// Leaves below each node; children are stored before their parents.
[[nodiscard]] inline std::vector<leaf_count> leaves_below(tree const& t)
{
    std::vector<leaf_count> below(t.node_count(), 0);
    for (std::uint32_t node = 0; node < below.size(); ++node)
        for (std::uint32_t const child : t.children(node))
            below[node] += child == tree_edge::no_child ? 1 : below[child];
    return below;
}

/// Nodes of a tree under construction; equal nodes are shared.
class node_store {
public:
    explicit node_store(std::vector<std::uint32_t> order)
        : made_(std::move(order))
    {
    }
    std::uint32_t add(std::span<tree_edge const> edges)
    {
        std::uint64_t hash = edges.size();
        for (tree_edge const& e : edges) {
            hash = (hash ^ ((std::uint64_t{e.value} << 32U) | e.child)) * 0xff51afd7ed558ccdULL;
            hash ^= hash >> 32U;
        }
        auto const [first, last] = known_.equal_range(hash);
        for (auto it = first; it != last; ++it)
            if (is_equal(it->second, edges)) return it->second;
        std::uint32_t const node = made_.add_node(edges);
        known_.emplace(hash, node);
        return node;
    }
    /// Adds a node of the last level without a search for an equal one.
    /// @pre  no other node has these values
    std::uint32_t add_last(std::span<std::uint32_t const> values) { return made_.add_last(values); }
    [[nodiscard]] tree const& made() const noexcept { return made_; }
    [[nodiscard]] tree take() && { return std::move(made_); }

private:
    [[nodiscard]] bool is_equal(std::uint32_t node, std::span<tree_edge const> edges) const
    {
        std::span<std::uint32_t const> const values = made_.values(node);
        std::span<std::uint32_t const> const children = made_.children(node);
        if (values.size() != edges.size()) return false;
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (values[i] != edges[i].value || children[i] != edges[i].child) return false;
        return true;
    }

    tree made_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> known_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/tree/tree.ipp>
#endif
