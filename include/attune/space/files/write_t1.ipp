// attune/space/files/write_t1.ipp - makes the members of a T1 file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/files/detail/left_out.hpp>
#include <attune/space/files/write_expression.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/files/write_t1.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[nodiscard]] inline char const* t1_type(parameter_description const& p)
{
    if (p.traits().is_truth) return "bool";
    if (p.type == value_kind::text) return "string";
    return p.type == value_kind::real ? "float" : "int";
}

/// One value in Python's notation.
[[nodiscard]] inline std::string t1_value(parameter_description const& p, std::uint32_t index)
{
    if (p.traits().is_truth) return number_at(p, {index, 0}).integer != 0 ? "True" : "False";
    if (p.type == value_kind::text) return quoted_text(p.labels[index]);
    return text_of(p, {index, 0});
}

[[nodiscard]] inline std::string t1_values(parameter_description const& p)
{
    if (p.range_count > 0) {
        std::int64_t const last = p.integer_at(p.range_count - 1);
        bool const has_next = last < std::numeric_limits<std::int64_t>::max();
        return "list(range(" + std::to_string(p.rule.first) + ", " +
               std::to_string(has_next ? last + 1 : last) + ", " + std::to_string(p.rule.step) +
               "))" + (has_next ? "" : " + [" + std::to_string(last) + ']');
    }
    std::string out = "[";
    for (std::uint32_t i = 0; i < p.value_count(); ++i)
        out += (i == 0 ? "" : ", ") + t1_value(p, i);
    return out + ']';
}

[[noreturn]] inline void refuse_t1(std::string const& name)
{
    throw error("a T1 file cannot have a real parameter, a permutation, a tile or an array",
                "parameter " + name, "give it listed values, or write_space_json()");
}

[[nodiscard]] inline space_json t1_parameter(description const& space,
                                             parameter_description const& p)
{
    if (p.traits().is_interval || p.type == value_kind::list) refuse_t1(p.name);
    if (p.value_count() == 0)
        throw error("the values of a parameter are not known", p.name, "call bind_inputs()");
    space_json out{{"Name", p.name}, {"Type", t1_type(p)}, {"Values", t1_values(p)}};
    if (p.default_text) out["Default"] = default_to_json(p);
    if (p.is_conditional()) out["ActiveIf"] = condition_source(space, p);
    return out;
}

/// The description with inputs replaced by their values.
[[nodiscard]] inline description with_inputs_put_in(description space)
{
    for (expression_node& n : space.nodes) {
        if (n.code != op::input) continue;
        input_description const& input = space.inputs[n.subject];
        if (!input.value)
            throw error("an input has no value", "input " + input.name, "call bind_inputs()");
        number const v = *input.value;
        n = {};
        n.code = v.is_real ? op::real : op::integer;
        n.integer = v.integer;
        n.real = v.real;
    }
    return space;
}

[[nodiscard]] inline space_json t1_condition(description const& space,
                                             constraint_description const& constraint)
{
    space_json names = space_json::array();
    for (std::uint32_t const p : constraint.scope)
        names.push_back(space.parameters[p].name);
    space_json out{{"Parameters", names}, {"Expression", constraint_source(space, constraint)}};
    if (constraint.settles != no_index) out["Settles"] = space.parameters[constraint.settles].name;
    return out;
}

} // namespace detail

ATTUNE_INLINE std::string write_t1(named_space const& space)
{
    if (!space.space.groups.empty()) detail::refuse_t1(space.space.groups.front().name);
    description plain = detail::with_inputs_put_in(space.space);
    detail::settle_conditions(plain);
    detail::space_json out;
    out["General"]["FormatVersion"] = 1;
    detail::space_json& inside = out["ConfigurationSpace"];
    inside["TuningParameters"] = detail::space_json::array();
    for (parameter_description const& p : plain.parameters)
        inside["TuningParameters"].push_back(detail::t1_parameter(plain, p));
    inside["Conditions"] = detail::space_json::array();
    for (constraint_description const& c : plain.constraints)
        inside["Conditions"].push_back(detail::t1_condition(plain, c));
    out["KernelSpecification"]["KernelName"] = space.name;
    try {
        return out.dump(2) + '\n';
    } catch (detail::space_json::exception const&) {
        throw error("a space cannot be written as JSON", space.name,
                    "write its names and texts in UTF-8");
    }
}

ATTUNE_INLINE std::vector<std::string> left_out_of_t1(description const& space)
{
    return detail::priors_left_out(space, "T1");
}

} // namespace attune::inline ATTUNE_ABI
