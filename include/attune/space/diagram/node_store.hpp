// attune/space/diagram/node_store.hpp - nodes of a tree under construction, with equal nodes shared.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/tree/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
