// attune/declare/expression/lower_code.ipp - the stack machine behind lower_code(); signs, calls and parentheses.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::string in_parentheses(lowered_operand const& operand, bool needed)
{
    return needed ? '(' + operand.text + ')' : operand.text;
}

ATTUNE_INLINE std::string text_of_operation(op code, std::span<lowered_operand const> args)
{
    operation_rules const& shape = rules_of(code);
    if (shape.is_call) {
        std::string out{shape.sign};
        for (std::size_t i = 0; i < args.size(); ++i)
            out += (i == 0 ? "(" : ", ") + args[i].text;
        return out + ')';
    }
    if (args.size() == 1) {
        bool const doubled = code == op::negate && args[0].text.front() == '-'; // "--" decrements
        return std::string{shape.sign} +
               in_parentheses(args[0], doubled || args[0].rank < unary_rank);
    }
    return in_parentheses(args[0], args[0].rank < shape.rank) + ' ' + std::string{shape.sign} +
           ' ' + in_parentheses(args[1], args[1].rank <= shape.rank);
}

ATTUNE_INLINE std::uint32_t intern_node(description& space, expression_node const& n)
{
    auto const found = std::find(space.nodes.begin(), space.nodes.end(), n);
    if (found != space.nodes.end()) return static_cast<std::uint32_t>(found - space.nodes.begin());
    space.nodes.push_back(n);
    return static_cast<std::uint32_t>(space.nodes.size() - 1);
}

ATTUNE_INLINE std::uint32_t intern_text(description& space, std::string_view text)
{
    auto const found = std::find(space.texts.begin(), space.texts.end(), text);
    if (found != space.texts.end()) return static_cast<std::uint32_t>(found - space.texts.begin());
    space.texts.emplace_back(text);
    return static_cast<std::uint32_t>(space.texts.size() - 1);
}

ATTUNE_INLINE std::uint32_t intern_input(description& space, std::string_view name, value_kind type)
{
    std::uint32_t const found = space.find_input(name);
    if (found != no_index) return found;
    space.inputs.push_back({std::string(name), type, {}});
    return static_cast<std::uint32_t>(space.inputs.size() - 1);
}

/// The text of a leaf.
struct leaf_text {
    description const& space;

    [[nodiscard]] std::string constant(number v) const { return text_of_number(v); }
    [[nodiscard]] std::string text(std::string const& v) const { return '"' + v + '"'; }
    [[nodiscard]] std::string input(input_description const& of) const { return of.name; }
    [[nodiscard]] std::string whole(std::uint32_t parameter) const
    {
        return space.parameters[parameter].name;
    }
    [[nodiscard]] std::string element(std::uint32_t parameter, std::int64_t place) const
    {
        return whole(parameter) + '[' + std::to_string(place) + ']';
    }
    [[nodiscard]] std::string item_position(std::uint32_t parameter, std::int64_t item) const
    {
        return whole(parameter) + ".position(" + std::to_string(item) + ')';
    }
};

[[nodiscard]] inline std::string text_of_leaf(description const& space, expression_node const& n)
{
    return visit_leaf(space, n, leaf_text{space});
}

/// A leaf as a node and as text; appends the parameter that the leaf reads to `scope`.
inline lowered_operand lower_leaf(description& space, instruction const& step,
                                  std::vector<std::uint32_t>& scope)
{
    expression_node n{.code = step.code, .integer = step.integer, .real = step.real};
    if (step.code == op::text) {
        n.text = intern_text(space, step.text);
    } else if (step.code == op::input) {
        n.subject = intern_input(space, step.text, static_cast<value_kind>(step.integer));
        n.integer = 0;
    } else if (names_parameter(step.code)) {
        n.subject = space.find_parameter(step.text);
        if (std::uint32_t const g = space.find_group(step.text); g != no_index) {
            n.subject = space.groups[g].first + static_cast<std::uint32_t>(step.integer);
            n.code = op::parameter;
            n.integer = 0;
        }
        scope.push_back(n.subject);
    }
    return {intern_node(space, n), text_of_leaf(space, n), leaf_rank};
}

/// The text of `n` and its rank.
[[nodiscard]] inline lowered_operand print_node(description const& space, expression_node const& n)
{
    int const taken = operand_count(n.code);
    if (taken == 0) return {no_index, text_of_leaf(space, n), leaf_rank};
    std::vector<lowered_operand> args{print_node(space, space.nodes[n.first])};
    if (taken > 1) args.push_back(print_node(space, space.nodes[n.second]));
    if (taken > 2) args.push_back(print_node(space, space.nodes[n.third]));
    return {no_index, text_of_operation(n.code, args), rules_of(n.code).rank};
}

ATTUNE_INLINE std::string text_of_node(description const& space, expression_node const& n)
{
    return print_node(space, n).text;
}

ATTUNE_INLINE constraint_description lower_code(description& space,
                                                std::span<instruction const> code)
{
    constraint_description out;
    std::vector<lowered_operand> stack;
    for (instruction const& step : code) {
        std::size_t const taken = static_cast<std::size_t>(operand_count(step.code));
        if (taken == 0) {
            stack.push_back(lower_leaf(space, step, out.scope));
            continue;
        }
        std::span<lowered_operand const> const args{
            stack.end() - static_cast<std::ptrdiff_t>(taken), stack.end()};
        expression_node n{.code = step.code, .real = step.real};
        n.first = args[0].node;
        if (taken > 1) n.second = args[1].node;
        if (taken > 2) n.third = args[2].node;
        lowered_operand result{intern_node(space, n), text_of_operation(step.code, args),
                               rules_of(step.code).rank};
        stack.erase(stack.end() - static_cast<std::ptrdiff_t>(taken), stack.end());
        stack.push_back(std::move(result));
    }
    out.root = stack.back().node;
    out.text = std::move(stack.back().text);
    std::sort(out.scope.begin(), out.scope.end());
    out.scope.erase(std::unique(out.scope.begin(), out.scope.end()), out.scope.end());
    return out;
}

ATTUNE_INLINE void require_declared(description const& space, std::span<instruction const> code,
                                    std::string_view what)
{
    for (instruction const& step : code) {
        bool const is_parameter = names_parameter(step.code);
        bool const is_known =
            space.find_parameter(step.text) != no_index || space.find_group(step.text) != no_index;
        if (is_parameter && !is_known)
            throw error(std::string(what) + " reads a parameter that is not in the space",
                        "parameter " + std::string(step.text), "add it to attune::space(...)");
        if (step.code == op::input && is_known)
            throw error(std::string(what) + " reads an input that has the name of a parameter",
                        "input " + std::string(step.text),
                        "rename the input, or use the parameter");
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
