// attune/declare/nest/for_each_node.hpp - the nodes that a value is made of, each once.
// SPDX-License-Identifier: MIT
// tested by declare/nest/operation_counts.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Calls `visit(index, node)` once for each node of a value, the first operand's before the others.
template <class Visit>
void for_each_node(nest_description const& nest, std::uint32_t value, Visit const& visit)
{
    std::vector<bool> seen(nest.nodes.size(), false);
    std::vector<std::uint32_t> open{value};
    while (!open.empty()) {
        std::uint32_t const n = open.back();
        open.pop_back();
        if (n == no_index || seen[n]) continue;
        seen[n] = true;
        nest_node const& node = nest.nodes[n];
        visit(n, node);
        open.insert(open.end(), {node.third, node.second, node.first});
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
