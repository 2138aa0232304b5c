// attune/space/files/write_json.ipp - makes JSON values of a description; writes nodes as text, by precedence.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/files/detail/expression_nodes.hpp>
#include <attune/space/files/expression_parser.hpp>
#include <attune/space/files/write_json.hpp>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// A text and its precedence in Python: or 1, and 2, not 3, compare 4, sum 5, term 6, sign 7, value
/// 9.
struct written_operand {
    std::string text;
    int rank = 9;

    [[nodiscard]] std::string at_least(int needed) const
    {
        return rank < needed ? '(' + text + ')' : text;
    }
};

[[nodiscard]] inline std::string quoted_text(std::string const& text)
{
    std::string out = "'";
    for (char const c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + '\'';
}

/// A name for the parser: in backquotes if it is a keyword or no identifier.
[[nodiscard]] inline std::string quoted_name(std::string const& name)
{
    bool plain = !name.empty() && is_name_start(name.front());
    for (char const c : name)
        plain = plain && (is_name_start(c) || is_digit(c));
    for (std::string_view const word : {"and", "or", "not", "in", "if", "else"})
        plain = plain && name != word;
    if (!plain && name.find('`') != std::string::npos)
        throw error("a name with a backquote cannot be written", name, "rename it");
    return plain ? name : '`' + name + '`';
}

/// The Python text of an operation of two or three operands.
struct python_form {
    op of{};
    std::string_view sign{};      ///< or the name of a function
    std::string_view otherwise{}; ///< for divisions of integers; for and/or of non-booleans
    int rank = 0;                 ///< 0: a call
    int left = 0;                 ///< the rank that the first operand needs without parentheses
    int right = 0;
};

inline constexpr enum_table<python_form, op::select, op::integer, op::real, op::text, op::parameter,
                            op::element, op::position, op::input, op::negate, op::logical_not>
    python_forms{{
        {op::absolute, "abs"},
        {op::add, "+", "", 5, 5, 6},
        {op::subtract, "-", "", 5, 5, 6},
        {op::multiply, "*", "", 6, 6, 7},
        {op::divide, "/", "trunc_div", 6, 6, 7},
        {op::modulo, "trunc_mod"},
        {op::floor_divide, "//", "", 6, 6, 7},
        {op::floor_modulo, "%", "", 6, 6, 7},
        {op::ceil_divide, "ceil_div"},
        {op::minimum, "min"},
        {op::maximum, "max"},
        {op::less, "<", "", 4, 5, 5},
        {op::less_equal, "<=", "", 4, 5, 5},
        {op::greater, ">", "", 4, 5, 5},
        {op::greater_equal, ">=", "", 4, 5, 5},
        {op::equal, "==", "", 4, 5, 5},
        {op::not_equal, "!=", "", 4, 5, 5},
        {op::logical_and, "and", "&&", 2, 2, 3},
        {op::logical_or, "or", "||", 1, 1, 2},
        {op::select, "select"},
    }};

struct written_leaf {
    description const& space;

    [[nodiscard]] written_operand constant(number v) const
    {
        std::string text = text_of_number(v);
        int const rank = text.front() == '-' ? 7 : 9;
        return {std::move(text), rank};
    }
    [[nodiscard]] written_operand text(std::string const& v) const { return {quoted_text(v)}; }
    [[nodiscard]] written_operand input(input_description const& of) const
    {
        return {quoted_name(of.name)};
    }
    [[nodiscard]] written_operand whole(std::uint32_t parameter) const
    {
        group_description const* const g = space.group_of(parameter);
        if (g == nullptr) return {quoted_name(space.parameters[parameter].name)};
        return {quoted_name(g->name) + '[' + std::to_string(parameter - g->first) + ']'};
    }
    [[nodiscard]] written_operand element(std::uint32_t parameter, std::int64_t place) const
    {
        return {whole(parameter).text + '[' + std::to_string(place) + ']'};
    }
    [[nodiscard]] written_operand item_position(std::uint32_t parameter, std::int64_t item) const
    {
        return {"position(" + whole(parameter).text + ", " + std::to_string(item) + ')'};
    }
};

class expression_writer {
public:
    explicit expression_writer(description const& space)
        : space_(space)
    {
    }

    [[nodiscard]] written_operand write(std::uint32_t node) const
    {
        expression_node const& n = space_.nodes[node];
        if (is_leaf(n.code)) return visit_leaf(space_, n, written_leaf{space_});
        if (n.code == op::negate) // of a literal: -(5), because -5 is a literal
            return {'-' + write(n.first).at_least(is_number(n.first) ? 10 : 7), 7};
        if (n.code == op::logical_not) return {"not " + write(n.first).at_least(3), 3};
        return operation(n);
    }

private:
    [[nodiscard]] bool is_number(std::uint32_t node) const
    {
        op const code = space_.nodes[node].code;
        return code == op::integer || code == op::real;
    }
    [[nodiscard]] written_operand infix(expression_node const& n, std::string_view sign,
                                        python_form const& form) const
    {
        return {write(n.first).at_least(form.left) + ' ' + std::string(sign) + ' ' +
                    write(n.second).at_least(form.right),
                form.rank};
    }
    [[nodiscard]] written_operand call(expression_node const& n, std::string_view name) const
    {
        std::string out = std::string(name) + '(' + write(n.first).text;
        for (std::uint32_t const operand : {n.second, n.third})
            if (operand != no_index) out += ", " + write(operand).text;
        return {out + ')'};
    }
    /// Returns true if Python's `and` and `or` of these operands give booleans.
    [[nodiscard]] bool are_truths(expression_node const& n) const
    {
        auto const is_truth = [&](std::uint32_t node) {
            expression_node const& o = space_.nodes[node];
            if (o.code == op::parameter)
                return space_.parameters[o.subject].type == value_kind::boolean;
            if (o.code == op::input) return space_.inputs[o.subject].type == value_kind::boolean;
            return yields_truth(o.code);
        };
        return is_truth(n.first) && is_truth(n.second);
    }
    [[nodiscard]] bool is_real(std::uint32_t node) const
    {
        expression_node const& n = space_.nodes[node];
        if (n.code == op::parameter) return space_.parameters[n.subject].type == value_kind::real;
        if (n.code == op::input) return space_.inputs[n.subject].type == value_kind::real;
        if (n.code == op::real) return true;
        if (n.code == op::select) return n.real != 0;
        if (yields_truth(n.code)) return false;
        return std::ranges::any_of(std::initializer_list<std::uint32_t>{n.first, n.second},
                                   [&](std::uint32_t o) { return o != no_index && is_real(o); });
    }

    [[nodiscard]] written_operand operation(expression_node const& n) const
    {
        python_form const& form = python_forms[n.code];
        bool const is_plain = n.code == op::divide ? is_real(n.first) || is_real(n.second)
                              : is_chain(n.code)   ? are_truths(n)
                                                   : true;
        std::string_view const sign = is_plain ? form.sign : form.otherwise;
        bool const is_call = form.rank == 0 || (n.code == op::divide && !is_plain);
        return is_call ? call(n, sign) : infix(n, sign, form);
    }

    description const& space_;
};

} // namespace detail

ATTUNE_INLINE std::string write_expression(description const& space, std::uint32_t node)
{
    description copy = space; // the builder that facts() needs adds nodes
    detail::node_facts const facts = detail::expression_builder(copy).facts(node);
    if (facts.depth > detail::max_expression_depth || facts.size > detail::max_expression_size)
        throw error("an expression is too large to be written", "", "split it");
    return detail::expression_writer(space).write(node).text;
}

ATTUNE_INLINE std::string constraint_source(description const& space,
                                            constraint_description const& constraint)
{
    if (constraint.root == no_index)
        throw error("a constraint that is a function cannot be written", constraint.text,
                    "declare it as an expression");
    try {
        description copy = space;
        if (parse_constraint(copy, constraint.text).root == constraint.root) return constraint.text;
    } catch (syntax_error const&) { // the text is C++
    }
    return write_expression(space, constraint.root);
}

namespace detail {

using space_json = nlohmann::ordered_json;

/// The text of `json`, a space called `space`.
/// @param indent  spaces per level; -1: one line
/// Errors  attune::error: a text that is not UTF-8
[[nodiscard]] inline std::string text_of_json(space_json const& json, int indent,
                                              std::string const& space)
{
    try {
        return json.dump(indent);
    } catch (space_json::exception const&) {
        throw error("a space cannot be written as JSON", space,
                    "write its names and texts in UTF-8");
    }
}

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
    throw error("a default is no number", "parameter " + p.name + ", default " + text,
                "give a value of the parameter");
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

/// The condition of a value; a list if elements of an array have different conditions.
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
    std::string text = text_of_json(space_to_json(s), -1, s.name);
    text.pop_back();
    if (!s.cartesian.empty()) text += ",\"cartesian\":" + s.cartesian;
    if (!s.valid.empty()) text += ",\"valid\":" + s.valid;
    return text + '}';
}

} // namespace detail

ATTUNE_INLINE std::string write_space_json(named_space const& space)
{
    return detail::dump_space(space) + '\n';
}

} // namespace attune::inline ATTUNE_ABI
