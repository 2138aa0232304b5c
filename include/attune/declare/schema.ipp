// attune/declare/schema.ipp - the text of a space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/schema.hpp>
#include <attune/declare/text.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// A literal, the name of an input, or an operation with its operands: "(17 N 2)".
[[nodiscard]] inline std::string text_of_bound(description const& space, std::uint32_t node)
{
    expression_node const& n = space.nodes[node];
    if (n.code == op::integer) return std::to_string(n.integer);
    if (n.code == op::real) return text_of_real(n.real);
    if (n.code == op::input) return space.inputs[n.subject].name;
    std::string out = '(' + std::to_string(static_cast<int>(n.code));
    for (std::uint32_t const operand : {n.first, n.second, n.third})
        if (operand != no_index) out += ' ' + text_of_bound(space, operand);
    return out + ')';
}

ATTUNE_INLINE std::string schema_text(description const& space)
{
    std::string out;
    auto const field = [&out](std::string const& text) { out += text + ';'; };
    auto const shape = [&field](parameter_kind kind, value_kind type, scale on,
                                std::uint32_t parts) {
        field(std::to_string(static_cast<int>(kind)) + ' ' +
              std::to_string(static_cast<int>(type)) + ' ' + std::to_string(static_cast<int>(on)) +
              ' ' + std::to_string(parts));
    };
    for (named_value const& one : named_values(space)) {
        field(std::string(one.name));
        if (one.is_long_order()) {
            // As a short one: how an order is made of coordinates does not matter.
            shape(parameter_kind::permutation, value_kind::list, scale::linear, one.group->parts());
            out += '\n';
            continue;
        }
        if (one.is_array()) field("array " + std::to_string(one.count));
        parameter_description const& p = space.parameters[one.first]; // elements are alike
        shape(p.kind, p.type, p.on, p.parts);
        if (p.traits().is_interval) field(text_of_real(p.low) + ' ' + text_of_real(p.high));
        if (p.rule.bound_node != no_index) {
            field(std::to_string(static_cast<int>(p.rule.steps)) + ' ' +
                  std::to_string(p.rule.first) + ' ' + std::to_string(p.rule.step) + ' ' +
                  text_of_bound(space, p.rule.bound_node));
        } else {
            for (auto const v : p.integers)
                field(std::to_string(v));
            for (auto const v : p.reals)
                field(text_of_real(v));
            for (auto const& v : p.labels)
                field(std::to_string(v.size()) + ' ' + v); // a label may hold any character
        }
        if (p.role != parameter_role::macro) field(std::to_string(static_cast<int>(p.role)));
        if (p.is_conditional()) field("active_if " + p.active.text);
        for (std::uint32_t i = one.first + 1; i < one.first + one.count; ++i)
            if (std::string const& own = space.parameters[i].active.text; own != p.active.text)
                field("active_if[" + std::to_string(i - one.first) + "] " + own);
        out += '\n';
    }
    for (constraint_description const& c : space.constraints)
        if (c.settles == no_index) out += c.text + '\n';
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
