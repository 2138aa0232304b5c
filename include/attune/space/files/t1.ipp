// attune/space/files/t1.ipp - makes a description of the members of a T1 file, and the members of a description.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/files/detail/value_list.hpp>
#include <attune/space/files/t1.hpp>
#include <attune/space/files/write_json.hpp>

#include <cstdint>
#include <limits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[nodiscard]] inline char const* t1_type(parameter_description const& p)
{
    if (p.traits().is_truth) return "bool";
    if (p.type == value_kind::text) return "string";
    return p.type == value_kind::real ? "float" : "int";
}

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
    require_table(p);
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
    return detail::text_of_json(out, 2, space.name) + '\n';
}

ATTUNE_INLINE std::vector<std::string> left_out_of_t1(description const& space)
{
    return detail::priors_left_out(space, "T1");
}

namespace detail {

/// The kind of a "Type"; null if the values determine it.
[[nodiscard]] inline json_kind t1_kind(json_source const& source, json_value const& type)
{
    std::string const name = in_small_letters(type.text);
    for (auto const& [start, kind] :
         {std::pair{"int", json_kind::integer}, std::pair{"uint", json_kind::integer},
          std::pair{"long", json_kind::integer}, std::pair{"float", json_kind::real},
          std::pair{"double", json_kind::real}, std::pair{"bool", json_kind::boolean},
          std::pair{"str", json_kind::text}})
        if (name.starts_with(start)) return kind;
    source.fail("expected int, uint, float, double, bool or string as the type, found \"" +
                    type.text + '"',
                type.at);
}

/// Reads a value, or the value of a list of one. Ignores a value outside "Values". Published files
/// have both.
inline void read_t1_default(json_source const& source, json_value const& standard, json_kind kind,
                            parameter_description& out)
{
    bool const is_list = standard.kind == json_kind::list && standard.items.size() == 1;
    json_value v = is_list ? standard.items.front() : standard;
    if (v.kind == json_kind::null) return;
    if (v.kind == json_kind::text && out.type != value_kind::text)
        v = at_place_in_file(source, v, [&] { return value_list_reader(v.text, v.at).value(); });
    if (kind != json_kind::null) to_kind(source, kind, "the type", v);
    if (v.kind == json_kind::list || v.kind == json_kind::object)
        source.wrong_kind(v, "a value as the default");
    std::string text = text_of_literal(out, v);
    if (coordinate_of(out, text)) out.default_text = std::move(text);
}

inline void read_t1_parameter(json_source const& source, json_value const& p, description& space)
{
    source.require(p, json_kind::object, "a tuning parameter");
    refuse_misspelt(source, p, {"Name", "Type", "Values", "Default", "ActiveIf"});
    json_value const& name = source.member(p, "Name", json_kind::text);
    json_value const* const given = p.find("Values");
    if (given == nullptr) source.fail("expected a member \"Values\" of this object", p.at);
    json_value values = *given;
    if (given->kind == json_kind::text)
        values = at_place_in_file(source, *given,
                                  [&] { return value_list_reader(given->text, given->at).list(); });
    source.require(values, json_kind::list, "\"Values\"");
    json_value const* const type = p.find("Type");
    json_kind kind = json_kind::null;
    if (type != nullptr) {
        kind = t1_kind(source, source.require(*type, json_kind::text, "\"Type\""));
        to_kind(source, kind, "the type", values);
        bool const is_natural = type->text.starts_with('u') || type->text.starts_with('U');
        for (json_value const& v : values.items)
            if (is_natural && v.integer < 0)
                source.fail("expected whole numbers that are not negative, as the type says", v.at);
    }
    parameter_description out;
    out.name = name.text;
    set_values(source, values, false, out);
    if (json_value const* const standard = p.find("Default"))
        read_t1_default(source, *standard, kind, out);
    add_parameter(source, name.at, std::move(out), space);
}

inline void read_t1_condition(json_source const& source, json_value const& c,
                              expression_builder& build)
{
    source.require(c, json_kind::object, "a condition");
    refuse_misspelt(source, c, {"Parameters", "Expression", "Settles"});
    if (c.find("Settles") != nullptr) return; // follows from "ActiveIf" of a parameter
    json_value const& text = source.member(c, "Expression", json_kind::text);
    if (json_value const* const names = c.find("Parameters")) {
        source.require(*names, json_kind::list, "\"Parameters\"");
        for (json_value const& name : names->items) {
            source.require(name, json_kind::text, "the name of a parameter");
            if (build.space().find_parameter(name.text) == no_index)
                source.fail("expected the name of a parameter, found \"" + name.text + '"',
                            name.at);
        }
    }
    build.space().constraints.push_back(at_place_in_file(
        source, text, [&] { return expression_reader(build, text.text).constraint(); }));
}

} // namespace detail

ATTUNE_INLINE named_space read_t1(std::string_view text, std::string const& source)
{
    detail::json_source const from{text, source};
    detail::json_value const root = detail::read_json_tree(from);
    from.require(root, detail::json_kind::object, "a T1 file");
    detail::refuse_misspelt(from, root, {"ConfigurationSpace", "General", "KernelSpecification"});
    detail::refuse_lost_conditions(from, root, "");
    detail::json_value const& space =
        from.member(root, "ConfigurationSpace", detail::json_kind::object);
    detail::refuse_misspelt(from, space, {"TuningParameters"});
    detail::refuse_lost_conditions(from, space, "Conditions");
    named_space out;
    detail::json_value const& parameters =
        from.member(space, "TuningParameters", detail::json_kind::list);
    for (detail::json_value const& p : parameters.items)
        detail::read_t1_parameter(from, p, out.space);
    if (out.space.parameters.empty()) from.fail("expected at least one parameter", parameters.at);
    detail::expression_builder build(out.space);
    std::vector<detail::named_value> const values = detail::named_values(out.space);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (detail::json_value const* const active_if = parameters.items[i].find("ActiveIf"))
            detail::read_condition(from, *active_if, values[i], build);
    if (detail::json_value const* const conditions = space.find("Conditions")) {
        from.require(*conditions, detail::json_kind::list, "\"Conditions\"");
        for (detail::json_value const& c : conditions->items)
            detail::read_t1_condition(from, c, build);
    }
    for (auto const& [member, of] :
         {std::pair{"General", "BenchmarkName"}, std::pair{"KernelSpecification", "KernelName"}})
        if (detail::json_value const* const about = root.find(member))
            if (detail::json_value const* const name = about->find(of)) out.name = name->text;
    return out;
}

ATTUNE_INLINE named_space read_t1_file(std::string const& path)
{
    return read_t1(detail::text_of_spaces(path), path);
}

} // namespace attune::inline ATTUNE_ABI
