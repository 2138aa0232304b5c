// attune/space/files/detail/values_from.hpp - makes the table of a parameter from a list in a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/files/detail/json_tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The text that text_of() gives for this literal as a value of `p`.
[[nodiscard]] inline std::string text_of_literal(parameter_description const& p,
                                                 json_value const& v)
{
    if (v.kind == json_kind::text) return v.text;
    if (v.kind == json_kind::boolean && p.traits().is_truth)
        return v.integer != 0 ? "true" : "false";
    if (v.kind == json_kind::real || p.type == value_kind::real) return text_of_real(v.real);
    return std::to_string(v.integer);
}

/// Converts a value, or each of a list, to its kind: whole numbers to reals, reals without a
/// fraction (Python writes 16.0) to whole numbers, 0 and 1 to truths.
/// @param said_by  what states the kind: "the type"
inline void to_kind(json_source const& source, json_kind wanted, std::string const& said_by,
                    json_value& v)
{
    if (v.kind == json_kind::list) {
        for (json_value& one : v.items)
            to_kind(source, wanted, said_by, one);
        return;
    }
    if (wanted == json_kind::real && v.kind == json_kind::integer) {
        v.kind = json_kind::real;
        v.text = "0.0";
    }
    if (wanted == json_kind::integer && v.kind == json_kind::real && std::abs(v.real) <= 0x1p53 &&
        v.real == std::floor(v.real)) {
        v.kind = json_kind::integer;
        v.integer = static_cast<std::int64_t>(v.real);
    }
    if (wanted == json_kind::boolean && v.kind == json_kind::integer &&
        (v.integer == 0 || v.integer == 1))
        v.kind = json_kind::boolean;
    if (v.kind != wanted)
        source.wrong_kind(v, std::string(name_of(wanted)) + ", as " + said_by + " says");
}

template <class T>
void sort_and_refuse_repeats(json_source const& source, json_value const& list,
                             std::vector<T>& values, bool keep_order)
{
    std::vector<T> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    auto const twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
        auto const first = std::find(values.begin(), values.end(), *twice);
        auto const second = std::find(first + 1, values.end(), *twice);
        source.fail("expected each value once, found one again",
                    list.items[static_cast<std::size_t>(second - values.begin())].at);
    }
    if (!keep_order) values = std::move(sorted);
}

/// Fills `out` from a list of literals of one kind (whole numbers among reals are reals).
/// @param keep_order  numbers are categories: not sorted
inline void set_values(json_source const& source, json_value const& list, bool keep_order,
                       parameter_description& out)
{
    if (list.items.empty()) source.fail("expected at least one value of " + out.name, list.at);
    if (list.items.size() > max_table_values)
        source.fail("expected at most 2^20 values of " + out.name + ", found " +
                        std::to_string(list.items.size()),
                    list.at, "give a range");
    json_kind kind = list.items.front().kind;
    for (json_value const& v : list.items) {
        bool const number = v.kind == json_kind::integer || v.kind == json_kind::real;
        if (!number && v.kind != json_kind::text && v.kind != json_kind::boolean)
            source.wrong_kind(v, "a number, a text, true or false");
        if (v.kind == json_kind::real && v.text.find_first_of(".eE") == std::string::npos)
            source.fail("the number " + v.text + " is too large", v.at,
                        "whole numbers have 64 bits");
        if (v.kind == json_kind::real && kind == json_kind::integer) kind = json_kind::real;
        if (v.kind != kind && !(kind == json_kind::real && v.kind == json_kind::integer))
            source.wrong_kind(v, std::string(name_of(kind)) + " as the values before it");
    }
    out.kind = keep_order ? parameter_kind::categorical : parameter_kind::ordinal;
    if (kind == json_kind::text) {
        out.kind = parameter_kind::categorical;
        out.type = value_kind::text;
        for (json_value const& v : list.items)
            out.labels.push_back(v.text);
        sort_and_refuse_repeats(source, list, out.labels, true);
    } else if (kind == json_kind::real) {
        out.type = value_kind::real;
        for (json_value const& v : list.items)
            out.reals.push_back(v.real);
        sort_and_refuse_repeats(source, list, out.reals, keep_order);
    } else {
        out.type = value_kind::integer;
        for (json_value const& v : list.items)
            out.integers.push_back(v.integer);
        sort_and_refuse_repeats(source, list, out.integers, keep_order);
        if (kind == json_kind::boolean) {
            out.kind = parameter_kind::boolean;
            out.type = value_kind::boolean;
            if (out.integers.size() == 2) out.integers.clear();
        }
    }
}

inline void set_default(json_source const& source, json_value const& v, parameter_description& out)
{
    if (v.kind == json_kind::null) return;
    if (v.kind == json_kind::list) {
        std::vector<std::int64_t> elements;
        for (json_value const& e : v.items)
            elements.push_back(
                source.require(e, json_kind::integer, "an element of \"default\"").integer);
        out.default_text = text_of_elements(elements);
    } else {
        if (v.kind == json_kind::object) source.wrong_kind(v, "a value as the default");
        out.default_text = text_of_literal(out, v);
    }
    bool const table_known = out.rule.bound_node == no_index;
    if (table_known && !coordinate_of(out, *out.default_text))
        source.fail("expected one of the values of " + out.name + " as its default, found " +
                        *out.default_text,
                    v.at);
}

/// Refuses a name that belongs to another parameter, group or input.
inline void require_new_name(json_source const& source, std::size_t at, std::string const& name,
                             description const& space)
{
    if (name.empty()) source.fail("expected a name that is not empty", at);
    if (space.find_parameter(name) != no_index || space.find_group(name) != no_index)
        source.fail("expected each parameter once, found " + name + " again", at);
    if (space.find_input(name) != no_index)
        source.fail("expected another name: " + name + " is an input already", at);
}

/// Adds a parameter, unless its name belongs to another parameter, group or input.
inline void add_parameter(json_source const& source, std::size_t at,
                          parameter_description&& parameter, description& space)
{
    require_new_name(source, at, parameter.name, space);
    space.parameters.push_back(std::move(parameter));
}

/// Calls `parse`; converts the position of a syntax error in the text of `v` to one in the file.
template <class Parse>
auto at_place_in_file(json_source const& source, json_value const& v, Parse const& parse)
{
    try {
        return parse();
    } catch (syntax_error const& e) {
        // After an escape, columns of the file differ from those of the text.
        std::string_view const written = source.text.substr(v.at + 1, e.offset());
        std::size_t const into = written == v.text.substr(0, e.offset()) ? e.offset() + 1 : 0;
        throw syntax_error(e.problem(), source.text, v.at + into, source.name, e.next());
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
