// attune/search/two_level/two_level_options.ipp - which phase decides a parameter, by its name and by what reads it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/two_level/two_level_options.hpp>

#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Whether a condition compares a parameter with a value, and not only by size.
[[nodiscard]] inline bool is_choice_of(description const& space, std::uint32_t condition,
                                       std::uint32_t parameter)
{
    auto const is_it = [&](std::uint32_t node) {
        return node != no_index && space.nodes[node].code == op::parameter &&
               space.nodes[node].subject == parameter;
    };
    bool const is_truth = space.parameters[parameter].traits().is_truth;
    if (is_truth && is_it(condition)) return true;
    std::vector<std::uint32_t> open{condition};
    while (!open.empty()) {
        expression_node const& node = space.nodes[open.back()];
        open.pop_back();
        bool const compares = node.code == op::equal || node.code == op::not_equal || is_truth;
        for (std::uint32_t const operand : {node.first, node.second, node.third}) {
            if (compares && is_it(operand)) return true;
            if (operand != no_index) open.push_back(operand);
        }
    }
    return false;
}

} // namespace detail

ATTUNE_INLINE decision_role default_decision_role(description const& space, std::uint32_t parameter)
{
    for (parameter_description const& other : space.parameters)
        if (other.is_conditional() && detail::is_choice_of(space, other.active.root, parameter))
            return decision_role::design;
    parameter_description const& of = space.parameters[parameter];
    if (of.is_location) return decision_role::compute_location;
    return of.name == "THREADS" || of.name.ends_with("_THREADS") ? decision_role::parallel
                                                                 : decision_role::tuned;
}

} // namespace attune::inline ATTUNE_ABI
