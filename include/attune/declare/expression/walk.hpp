// attune/declare/expression/walk.hpp - the nodes of an expression, and what it reads.
// SPDX-License-Identifier: MIT
//
// tested by space/conditions/conditions.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/operation.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Calls `visit(node)` for `root` and every node below it; shared nodes more than once.
template <class Visit>
void walk_expression(description const& space, std::uint32_t root, Visit const& visit)
{
    std::vector<std::uint32_t> open{root};
    while (!open.empty()) {
        expression_node const& n = space.nodes[open.back()];
        open.pop_back();
        visit(n);
        int const operands = operand_count(n.code);
        if (operands > 0) open.push_back(n.first);
        if (operands > 1) open.push_back(n.second);
        if (operands > 2) open.push_back(n.third);
    }
}

inline void sort_unique(std::vector<std::uint32_t>& items)
{
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
}

/// The parameters that the expression at `root` reads, ascending and unique.
[[nodiscard]] inline std::vector<std::uint32_t> parameters_read(description const& space,
                                                                std::uint32_t root)
{
    std::vector<std::uint32_t> scope;
    walk_expression(space, root, [&](expression_node const& n) {
        if (names_parameter(n.code)) scope.push_back(n.subject);
    });
    sort_unique(scope);
    return scope;
}

/// The inputs that it reads, likewise.
[[nodiscard]] inline std::vector<std::uint32_t> inputs_read(description const& space,
                                                            std::uint32_t root)
{
    std::vector<std::uint32_t> out;
    walk_expression(space, root, [&](expression_node const& n) {
        if (n.code == op::input) out.push_back(n.subject);
    });
    sort_unique(out);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
