// attune/space/files/write_json.ipp - makes JSON values of a description.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/files/write_expression.hpp>
#include <attune/space/files/write_json.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

using space_json = nlohmann::ordered_json;

[[nodiscard]] inline space_json bound_to_json(description const& space, std::uint32_t node)
{
    expression_node const& n = space.nodes[node];
    if (n.code == op::integer) return n.integer;
    return write_expression(space, node);
}

[[nodiscard]] inline space_json default_to_json(parameter_description const& p)
{
    std::string const& text = *p.default_text;
    if (p.type == value_kind::text) return text;
    if (p.traits().is_truth) return text == "true" || text == "1";
    std::string digits = without_spaces(text);
    if (p.type == value_kind::list) {
        digits.front() = '[';
        digits.back() = ']';
    }
    space_json const parsed = space_json::parse(digits, nullptr, false);
    if (!parsed.is_discarded()) return parsed;
    if (std::optional<double> const v = parse_real(digits)) return *v;
    throw error("a default is no number", "parameter " + p.name + ", default " + text, "");
}

/// The text of active_if().
[[nodiscard]] inline std::string condition_source(description const& space,
                                                  parameter_description const& p)
{
    constraint_description condition;
    condition.root = p.active.root;
    condition.text = p.active.text;
    return constraint_source(space, condition);
}

/// The kind that a reader assumes for a parameter with these values and no "kind".
[[nodiscard]] inline parameter_kind kind_without_name(parameter_description const& p, bool is_range)
{
    if (is_range) return parameter_kind::integer;
    if (p.traits().is_truth) return parameter_kind::boolean;
    return p.type == value_kind::text ? parameter_kind::categorical : parameter_kind::ordinal;
}

/// A permutation that is a group of digits.
[[nodiscard]] inline space_json long_order_to_json(description const& space, named_value const& v)
{
    space_json out;
    out["name"] = v.name;
    out["kind"] = traits_of(parameter_kind::permutation).name;
    out["parts"] = v.group->parts();
    if (std::optional<std::string> text = default_text_of(space, v)) {
        text->front() = '[';
        text->back() = ']';
        out["default"] = space_json::parse(*text);
    }
    return out;
}

/// The condition of a value; of an array whose elements have different ones a list.
[[nodiscard]] inline space_json conditions_to_json(description const& space, named_value const& v)
{
    space_json out;
    bool is_one = true;
    for (std::uint32_t i = v.first; i < v.first + v.count; ++i) {
        out.push_back(condition_source(space, space.parameters[i]));
        is_one = is_one && out.back() == out.front();
    }
    return is_one ? out.front() : out;
}

[[nodiscard]] inline space_json parameter_to_json(description const& space, named_value const& v)
{
    if (v.is_long_order()) return long_order_to_json(space, v);
    parameter_description const& p = space.parameters[v.first]; // elements are alike
    space_json out;
    out["name"] = v.name;
    if (v.group != nullptr) out["elements"] = v.count;
    kind_traits const& is = p.traits();
    bool const is_range = is.is_ordered && p.rule.bound_node != no_index;
    if (p.kind != kind_without_name(p, is_range)) out["kind"] = is.name;
    if (is.is_interval) {
        out["low"] = p.low;
        out["high"] = p.high;
    }
    for (std::uint32_t i = 0; is.is_truth && i < p.value_count(); ++i)
        out["values"].push_back(number_at(p, {i, 0}).integer != 0);
    if (is.is_list) {
        out["parts"] = p.parts;
        if (is.is_factors) out["extent"] = bound_to_json(space, p.rule.bound_node);
    }
    if (is_range) {
        out["range"] = {p.rule.first, bound_to_json(space, p.rule.bound_node)};
        if (p.rule.step != 1) out["step"] = p.rule.step;
        if (p.rule.steps == progression::doubling) out["steps"] = "doubling";
        if (p.rule.steps == progression::divisors) out["steps"] = "divisors";
    } else if (!is.is_list) {
        if (!p.labels.empty()) out["values"] = p.labels;
        if (!p.reals.empty()) out["values"] = p.reals;
        if (!p.integers.empty() && !is.is_truth) out["values"] = p.integers;
    }
    if (p.on == scale::log) out["scale"] = "log";
    if (v.group == nullptr && p.default_text) out["default"] = default_to_json(p);
    if (v.group != nullptr && default_text_of(space, v))
        for (std::uint32_t i = v.first; i < v.first + v.count; ++i)
            out["default"].push_back(default_to_json(space.parameters[i]));
    if (p.is_conditional()) out["active_if"] = conditions_to_json(space, v);
    if (!p.prior.weights.empty()) out["weights"] = p.prior.weights;
    if (p.prior.deviation > 0) {
        out["centre"] = p.prior.centre;
        out["deviation"] = p.prior.deviation;
    }
    return out;
}

[[nodiscard]] inline space_json space_to_json(named_space const& s)
{
    space_json out;
    out["name"] = s.name;
    for (input_description const& input : s.space.inputs)
        if (!input.value)
            out["inputs"][input.name] = input.type == value_kind::real ? "real" : "integer";
        else if (input.value->is_real || input.type == value_kind::real)
            out["problem"][input.name] = input.value->as_real();
        else
            out["problem"][input.name] = input.value->integer;
    out["params"] = space_json::array();
    for (named_value const& v : named_values(s.space))
        out["params"].push_back(parameter_to_json(s.space, v));
    out["constraints"] = space_json::array();
    for (constraint_description const& c : s.space.constraints)
        if (c.settles == no_index) out["constraints"].push_back(constraint_source(s.space, c));
    for (selector_description const& one : s.space.selectors)
        out["selectors"].push_back(
            {{"first", s.space.parameters[one.first].name}, {"parameters", one.parameters}});
    return out;
}

[[nodiscard]] inline std::string dump_space(named_space const& s)
{
    try {
        std::string text = space_to_json(s).dump();
        text.pop_back();
        if (!s.cartesian.empty()) text += ",\"cartesian\":" + s.cartesian;
        if (!s.valid.empty()) text += ",\"valid\":" + s.valid;
        return text + '}';
    } catch (space_json::exception const&) {
        throw error("a space cannot be written as JSON", s.name,
                    "write its names and texts in UTF-8");
    }
}

} // namespace detail

ATTUNE_INLINE std::string write_space_json(named_space const& space)
{
    return detail::dump_space(space) + '\n';
}

} // namespace attune::inline ATTUNE_ABI
