// attune/space/files/read_t1.ipp - makes a description of the members of a T1 file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/files/detail/value_list.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/read_t1.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The kind of a "Type"; null if the values determine it.
[[nodiscard]] inline json_kind t1_kind(json_source const& source, json_value const& type)
{
    std::string name = type.text;
    for (char& c : name)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
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

/// Published files give a list with one value, or a value that is not listed, which is ignored.
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
    detail::json_value const& space =
        from.member(root, "ConfigurationSpace", detail::json_kind::object);
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
