// attune/search/two_level/two_level_options.ipp - which phase decides a parameter, by its name and by who reads it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/two_level/two_level_options.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE decision_role default_decision_role(description const& space, std::uint32_t parameter)
{
    for (parameter_description const& other : space.parameters) {
        if (!other.is_conditional()) continue;
        std::vector<std::uint32_t> open{other.active.root};
        while (!open.empty()) {
            expression_node const& node = space.nodes[open.back()];
            open.pop_back();
            if (node.code == op::parameter && node.subject == parameter)
                return decision_role::design;
            for (std::uint32_t const operand : {node.first, node.second, node.third})
                if (operand != no_index) open.push_back(operand);
        }
    }
    std::string const& name = space.parameters[parameter].name;
    return name == "THREADS" || name.ends_with("_THREADS") ? decision_role::parallel
                                                           : decision_role::tuned;
}

} // namespace attune::inline ATTUNE_ABI
