// attune/space/diagram/diagram_tree.hpp - grows the tree of one group from diagrams of its conditions.
// SPDX-License-Identifier: MIT
// Source   own: one diagram per condition, then their product; the work depends on the values that
//          conditions exchange, not on the settings of their parameters
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/groups.hpp>
#include <attune/space/diagram/bundles.hpp>
#include <attune/space/diagram/diagram.hpp>
#include <attune/space/diagram/diagram_maker.hpp>
#include <attune/space/diagram/tree_product.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Grows the tree of `group` with its levels in the given order. Nothing when no setting is valid;
/// undefined once the budget is spent.
/// Cost   a predicate is called for every setting of its parameters that other conditions allow
[[nodiscard]] inline std::optional<tree> tree_by_diagrams(description const& space,
                                                          parameter_group const& group,
                                                          std::vector<domain> const& domains,
                                                          std::vector<std::uint32_t> order,
                                                          effort& budget)
{
    diagram_maker maker(space, domains, std::move(order), budget);
    std::vector<factor> factors;
    for (bundle const& joint : make_bundles(maker, group.conditions)) {
        std::uint32_t const node = maker.make(joint);
        if (budget.is_spent || node == never_node) return {};
        if (node != always_node) factors.push_back({node, maker.levels_of(joint)});
    }
    tree_product product(std::move(factors), maker.order(), domains, maker.store(), budget);
    if (!product.grow_all() || budget.is_spent) return {};
    return std::move(product).take();
}

} // namespace attune::inline ATTUNE_ABI::detail
