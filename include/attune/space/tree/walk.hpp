// attune/space/tree/walk.hpp - functions for walks over the nodes of a tree.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/tree/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether the tree is one parameter with values as runs: leaves, but no nodes.
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

} // namespace attune::inline ATTUNE_ABI::detail
