// attune/space/files/write_expression.ipp - nodes to text, by precedence.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/files/detail/expression_lexer.hpp>
#include <attune/space/files/detail/expression_nodes.hpp>
#include <attune/space/files/expression_limits.hpp>
#include <attune/space/files/expression_parser.hpp>
#include <attune/space/files/write_expression.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// A text and how tightly it binds: Python's levels, or 1, and 2, not 3, compare 4, sum 5,
/// term 6, sign 7, value 9.
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

/// A name as the parser reads it: in backquotes unless it is an identifier with no other meaning.
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

class expression_writer {
public:
    explicit expression_writer(description const& space)
        : space_(space)
    {
    }

    [[nodiscard]] written_operand write(std::uint32_t node) const
    {
        expression_node const& n = space_.nodes[node];
        switch (n.code) {
        case op::integer:
            return {std::to_string(n.integer), n.integer < 0 ? 7 : 9};
        case op::real: {
            std::string text = text_of_real(n.real);
            bool const negative = text.front() == '-';
            return {std::move(text), negative ? 7 : 9};
        }
        case op::text:
            return {quoted_text(space_.texts[n.text])};
        case op::parameter:
            return {quoted_name(space_.parameters[n.subject].name)};
        case op::input:
            return {quoted_name(space_.inputs[n.subject].name)};
        case op::element:
            return {quoted_name(space_.parameters[n.subject].name) + '[' +
                    std::to_string(n.integer) + ']'};
        case op::position:
            return {"position(" + quoted_name(space_.parameters[n.subject].name) + ", " +
                    std::to_string(n.integer) + ')'};
        case op::negate: // of a literal: -(5), since -5 is a literal itself
            return {'-' + write(n.first).at_least(is_literal(n.first) ? 10 : 7), 7};
        case op::logical_not:
            return {"not " + write(n.first).at_least(3), 3};
        default:
            return operation(n);
        }
    }

private:
    [[nodiscard]] bool is_literal(std::uint32_t node) const
    {
        return space_.nodes[node].code <= op::real;
    }
    [[nodiscard]] written_operand
    infix(expression_node const& n, char const* sign, int rank, int left, int right) const
    {
        return {write(n.first).at_least(left) + sign + write(n.second).at_least(right), rank};
    }
    [[nodiscard]] written_operand call(expression_node const& n, char const* name) const
    {
        std::string out = name + ('(' + write(n.first).text);
        for (std::uint32_t const operand : {n.second, n.third})
            if (operand != no_index) out += ", " + write(operand).text;
        return {out + ')'};
    }
    /// Whether Python's `and` and `or` of the operands are truths too, not one of the operands.
    [[nodiscard]] bool are_truths(expression_node const& n) const
    {
        auto const is_truth = [&](std::uint32_t node) {
            expression_node const& o = space_.nodes[node];
            if (o.code == op::parameter)
                return space_.parameters[o.subject].type == value_kind::boolean;
            if (o.code == op::input) return space_.inputs[o.subject].type == value_kind::boolean;
            return o.code == op::logical_not || (o.code >= op::less && o.code <= op::logical_or);
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
        if (n.code == op::logical_not || n.code >= op::less) return false;
        return std::ranges::any_of(std::initializer_list<std::uint32_t>{n.first, n.second},
                                   [&](std::uint32_t o) { return o != no_index && is_real(o); });
    }

    [[nodiscard]] written_operand operation(expression_node const& n) const
    {
        switch (n.code) {
        case op::add:
            return infix(n, " + ", 5, 5, 6);
        case op::subtract:
            return infix(n, " - ", 5, 5, 6);
        case op::multiply:
            return infix(n, " * ", 6, 6, 7);
        case op::divide:
            if (is_real(n.first) || is_real(n.second)) return infix(n, " / ", 6, 6, 7);
            return call(n, "trunc_div");
        case op::modulo:
            return call(n, "trunc_mod");
        case op::floor_divide:
            return infix(n, " // ", 6, 6, 7);
        case op::floor_modulo:
            return infix(n, " % ", 6, 6, 7);
        case op::ceil_divide:
            return call(n, "ceil_div");
        case op::minimum:
            return call(n, "min");
        case op::maximum:
            return call(n, "max");
        case op::absolute:
            return call(n, "abs");
        case op::select:
            return call(n, "select");
        case op::less:
            return infix(n, " < ", 4, 5, 5);
        case op::less_equal:
            return infix(n, " <= ", 4, 5, 5);
        case op::greater:
            return infix(n, " > ", 4, 5, 5);
        case op::greater_equal:
            return infix(n, " >= ", 4, 5, 5);
        case op::equal:
            return infix(n, " == ", 4, 5, 5);
        case op::not_equal:
            return infix(n, " != ", 4, 5, 5);
        case op::logical_and:
            return infix(n, are_truths(n) ? " and " : " && ", 2, 2, 3);
        default:
            return infix(n, are_truths(n) ? " or " : " || ", 1, 1, 2);
        }
    }

    description const& space_;
};

} // namespace detail

ATTUNE_INLINE std::string write_expression(description const& space, std::uint32_t node)
{
    description copy = space; // facts are those of a builder, which may add nodes
    detail::node_facts const facts = detail::expression_builder(copy).facts(node);
    if (facts.depth > max_expression_depth || facts.size > max_expression_size)
        throw error("an expression is too large to be written", "", "split it");
    return detail::expression_writer(space).write(node).text;
}

ATTUNE_INLINE std::string constraint_source(description const& space,
                                            constraint_description const& constraint)
{
    if (constraint.root == no_index)
        throw error("a constraint that is a function cannot be written",
                    constraint.text,
                    "declare it as an expression");
    try {
        description copy = space;
        if (parse_constraint(copy, constraint.text).root == constraint.root) return constraint.text;
    } catch (syntax_error const&) { // written in C++
    }
    return write_expression(space, constraint.root);
}

} // namespace attune::inline ATTUNE_ABI
