// attune/space/schedule/space_builder.ipp - the definitions of space_builder.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/schedule/space_builder.hpp>

#include <algorithm>
#include <utility>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE void space_builder::ordinal(std::string name, std::vector<std::int64_t> values,
                                          std::int64_t preferred)
{
    parameter_description out;
    out.name = std::move(name);
    out.kind = parameter_kind::ordinal;
    out.type = value_kind::integer;
    bool const is_positive = !values.empty() && values.front() > 0;
    out.on = is_positive ? scale::log : scale::linear;
    out.integers = std::move(values);
    out.default_text = std::to_string(preferred);
    space_.parameters.push_back(std::move(out));
}

ATTUNE_INLINE void space_builder::categorical(std::string name, std::vector<std::string> labels,
                                              std::string const& preferred)
{
    parameter_description out;
    out.name = std::move(name);
    out.kind = parameter_kind::categorical;
    out.type = value_kind::text;
    out.labels = std::move(labels);
    out.default_text = preferred;
    space_.parameters.push_back(std::move(out));
}

ATTUNE_INLINE void space_builder::tile(std::string name, std::int64_t extent, std::uint32_t parts)
{
    parameter_description out;
    out.name = std::move(name);
    out.kind = parameter_kind::tile;
    out.type = value_kind::list;
    out.parts = parts;
    out.rule.bound_node = number(extent);
    space_.parameters.push_back(std::move(out));
}

ATTUNE_INLINE std::uint32_t space_builder::parameter(std::string const& name) const
{
    std::uint32_t const found = space_.find_parameter(name);
    if (found == no_index)
        throw error("a formula reads a parameter that is not declared", name, "declare it first");
    return found;
}

ATTUNE_INLINE std::uint32_t space_builder::number(std::int64_t value)
{
    expression_node node;
    node.code = op::integer;
    node.integer = value;
    return detail::intern_node(space_, node);
}

ATTUNE_INLINE std::uint32_t space_builder::real(double value)
{
    expression_node node;
    node.code = op::real;
    node.real = value;
    return detail::intern_node(space_, node);
}

ATTUNE_INLINE std::uint32_t space_builder::input(std::string const& name)
{
    expression_node node;
    node.code = op::input;
    node.subject = detail::intern_input(space_, name, value_kind::integer);
    return detail::intern_node(space_, node);
}

ATTUNE_INLINE std::uint32_t space_builder::value(std::string const& name)
{
    expression_node node;
    node.code = op::parameter;
    node.subject = parameter(name);
    return detail::intern_node(space_, node);
}

ATTUNE_INLINE std::uint32_t space_builder::factor(std::string const& tile, std::int64_t place)
{
    expression_node node;
    node.code = op::element;
    node.subject = parameter(tile);
    node.integer = place;
    return detail::intern_node(space_, node);
}

ATTUNE_INLINE std::uint32_t space_builder::word(std::string const& label)
{
    auto const known = std::find(space_.texts.begin(), space_.texts.end(), label);
    auto const at = static_cast<std::uint32_t>(known - space_.texts.begin());
    if (known == space_.texts.end()) space_.texts.push_back(label);
    expression_node text;
    text.code = op::text;
    text.text = at;
    return detail::intern_node(space_, text);
}

ATTUNE_INLINE std::uint32_t space_builder::is(std::string const& name, std::string const& label)
{
    return node(op::equal, value(name), word(label));
}

ATTUNE_INLINE std::uint32_t space_builder::node(op code, std::uint32_t first, std::uint32_t second)
{
    expression_node made;
    made.code = code;
    made.first = first;
    made.second = second;
    return detail::intern_node(space_, made);
}

ATTUNE_INLINE void space_builder::active_if(std::string const& name, std::uint32_t root)
{
    activity_description& active = space_.parameters[parameter(name)].active;
    active.root = root;
    active.text = detail::text_of_node(space_, space_.nodes[root]);
}

ATTUNE_INLINE void space_builder::location(std::string const& name)
{
    space_.parameters[parameter(name)].is_location = true;
}

ATTUNE_INLINE void space_builder::where(std::uint32_t root, std::string text, std::string advice)
{
    constraint_description out;
    out.root = root;
    out.text = text.empty() ? detail::text_of_node(space_, space_.nodes[root]) : std::move(text);
    out.advice = std::move(advice);
    std::vector<std::uint32_t> open{root};
    while (!open.empty()) {
        expression_node const& node = space_.nodes[open.back()];
        open.pop_back();
        if (detail::names_parameter(node.code)) out.scope.push_back(node.subject);
        for (std::uint32_t const operand : {node.first, node.second, node.third})
            if (operand != no_index) open.push_back(operand);
    }
    std::sort(out.scope.begin(), out.scope.end());
    out.scope.erase(std::unique(out.scope.begin(), out.scope.end()), out.scope.end());
    space_.constraints.push_back(std::move(out));
}

ATTUNE_INLINE void space_builder::feature(std::uint32_t root)
{
    space_.features.push_back({root, detail::text_of_node(space_, space_.nodes[root])});
}

ATTUNE_INLINE void space_builder::expect(std::function<double(std::span<coordinate const>)> seconds)
{
    if (!space_.expected) {
        space_.expected = std::move(seconds);
        return;
    }
    space_.expected = [first = std::move(space_.expected), second = std::move(seconds)](
                          std::span<coordinate const> at) { return first(at) + second(at); };
}

ATTUNE_INLINE description space_builder::made() const
{
    return space_.inputs.empty() ? bind_inputs(space_) : space_;
}

} // namespace attune::inline ATTUNE_ABI
