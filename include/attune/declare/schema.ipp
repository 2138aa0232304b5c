// attune/declare/schema.ipp - the text of a space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/schema.hpp>
#include <attune/declare/text.hpp>

namespace attune {

std::string schema_text(description const& space)
{
    std::string out;
    auto const field = [&out](std::string const& text) { out += text + ';'; };
    for (parameter_description const& p : space.parameters) {
        field(p.name);
        field(std::to_string(static_cast<int>(p.kind)) + ' ' +
              std::to_string(static_cast<int>(p.type)) + ' ' +
              std::to_string(static_cast<int>(p.on)) + ' ' + std::to_string(p.parts));
        if (p.kind == parameter_kind::real)
            field(detail::text_of_real(p.low) + ' ' + detail::text_of_real(p.high));
        if (p.rule.bound_node != no_index) {
            expression_node const& bound = space.nodes[p.rule.bound_node];
            field(std::to_string(static_cast<int>(p.rule.steps)) + ' ' +
                  std::to_string(p.rule.first) + ' ' + std::to_string(p.rule.step) + ' ' +
                  (bound.code == op::input ? space.inputs[bound.subject].name
                                           : std::to_string(bound.integer)));
        } else {
            for (auto const v : p.integers)
                field(std::to_string(v));
            for (auto const v : p.reals)
                field(detail::text_of_real(v));
            for (auto const& v : p.labels)
                field(std::to_string(v.size()) + ' ' + v); // a label may hold any character
        }
        out += '\n';
    }
    for (constraint_description const& c : space.constraints)
        out += c.text + '\n';
    return out;
}

} // namespace attune
