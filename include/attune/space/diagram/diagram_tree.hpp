// attune/space/diagram/diagram_tree.hpp - grows the tree of one group from diagrams of its
// conditions. SPDX-License-Identifier: MIT
//
// Stage    declare -> [space] -> search -> compile -> measure -> remember
// In       one group of parameters, their conditions and domains
// Out      its tree, unless it takes more than the limits allow
// Source   own: one diagram per condition, then their product; work follows the values that
//          conditions exchange, not the settings of their parameters
// Depends  std only
// Tests    tests/space/diagram/diagram_tree.cpp
#pragma once

#include <attune/space/build_options.hpp>
#include <attune/space/diagram/diagram.hpp>
#include <attune/space/diagram/diagram_maker.hpp>
#include <attune/space/diagram/tree_product.hpp>
#include <attune/space/groups.hpp>
#include <attune/space/order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace attune::detail {

/// The tree of one group, if it was finished; without a tree when no setting is valid.
struct diagram_tree {
    bool finished = false;
    std::optional<tree> grown;
};

/// Builds the tree of `group` within the limits of `options`.
/// Cost   a predicate is called for at most options.enumeration.wide_settings settings
[[nodiscard]] inline diagram_tree tree_by_diagrams(description const& space,
                                                   parameter_group const& group,
                                                   std::vector<domain> const& domains,
                                                   build_options const& options)
{
    effort budget{options.max_visits, 4 * options.max_nodes};
    diagram_maker maker(space, domains, level_order(space, group, domains), budget);
    std::vector<factor> factors;
    for (condition const& c : group.conditions) {
        std::vector<condition const*> joint{&c};
        if (c.root == no_index) {
            double settings = 1;
            for (std::uint32_t const p : c.scope)
                settings *= static_cast<double>(domains[p].size());
            if (settings > static_cast<double>(options.enumeration.wide_settings)) return {};
            for (condition const& other : group.conditions)
                if (other.root != no_index &&
                    std::includes(
                        c.scope.begin(), c.scope.end(), other.scope.begin(), other.scope.end()))
                    joint.push_back(&other);
        }
        std::uint32_t const node = maker.make(joint);
        if (budget.is_spent) return {};
        if (node == never_node) return {true, {}};
        if (node != always_node) factors.push_back({node, maker.levels_of(joint)});
    }
    tree_product product(
        std::move(factors), maker.order(), domains, options.max_nodes, maker.store(), budget);
    bool const any = product.grow_all();
    if (budget.is_spent) return {};
    if (!any) return {true, {}};
    return {true, std::move(product).take()};
}

} // namespace attune::detail
