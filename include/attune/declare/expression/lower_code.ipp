// attune/declare/expression/lower_code.ipp - the stack machine behind lower_code(), and how operators print.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// How tightly an operator binds; larger binds tighter.
struct operator_shape {
    std::string_view sign;
    int rank;
    bool is_call; ///< written as sign(a, b)
};

inline constexpr int leaf_rank = 9;
inline constexpr int unary_rank = 8;

[[nodiscard]] constexpr operator_shape shape_of(op code) noexcept
{
    switch (code) {
    case op::add:
        return {"+", 6, false};
    case op::subtract:
        return {"-", 6, false};
    case op::multiply:
        return {"*", 7, false};
    case op::divide:
        return {"/", 7, false};
    case op::modulo:
        return {"%", 7, false};
    case op::floor_divide:
        return {"floor_div", leaf_rank, true};
    case op::floor_modulo:
        return {"floor_mod", leaf_rank, true};
    case op::ceil_divide:
        return {"ceil_div", leaf_rank, true};
    case op::minimum:
        return {"min", leaf_rank, true};
    case op::maximum:
        return {"max", leaf_rank, true};
    case op::absolute:
        return {"abs", leaf_rank, true};
    case op::select:
        return {"select", leaf_rank, true};
    case op::less:
        return {"<", 5, false};
    case op::less_equal:
        return {"<=", 5, false};
    case op::greater:
        return {">", 5, false};
    case op::greater_equal:
        return {">=", 5, false};
    case op::equal:
        return {"==", 4, false};
    case op::not_equal:
        return {"!=", 4, false};
    case op::logical_and:
        return {"&&", 3, false};
    case op::logical_or:
        return {"||", 2, false};
    case op::negate:
        return {"-", unary_rank, false};
    case op::logical_not:
        return {"!", unary_rank, false};
    default:
        return {"", leaf_rank, false};
    }
}

/// Index of a node equal to `n`, appended when there is none.
std::uint32_t intern_node(description& space, expression_node const& n)
{
    auto const found = std::find(space.nodes.begin(), space.nodes.end(), n);
    if (found != space.nodes.end()) return static_cast<std::uint32_t>(found - space.nodes.begin());
    space.nodes.push_back(n);
    return static_cast<std::uint32_t>(space.nodes.size() - 1);
}

std::uint32_t intern_text(description& space, std::string_view text)
{
    auto const found = std::find(space.texts.begin(), space.texts.end(), text);
    if (found != space.texts.end()) return static_cast<std::uint32_t>(found - space.texts.begin());
    space.texts.emplace_back(text);
    return static_cast<std::uint32_t>(space.texts.size() - 1);
}

/// Index of the input called `name`, added without a value when it is new.
std::uint32_t intern_input(description& space, std::string_view name, value_kind type)
{
    std::uint32_t const found = space.find_input(name);
    if (found != no_index) return found;
    space.inputs.push_back({std::string(name), type, {}});
    return static_cast<std::uint32_t>(space.inputs.size() - 1);
}

/// One operand on the stack of lower_code: where it stands and how it reads.
struct lowered_operand {
    std::uint32_t node;
    std::string text;
    int rank;
};

[[nodiscard]] inline std::string in_parentheses(lowered_operand const& operand, bool needed)
{
    return needed ? '(' + operand.text + ')' : operand.text;
}

[[nodiscard]] inline std::string text_of_operation(op code, std::span<lowered_operand const> args)
{
    operator_shape const shape = shape_of(code);
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

[[nodiscard]] inline std::string text_of_leaf(description const& space, expression_node const& n)
{
    switch (n.code) {
    case op::integer:
        return std::to_string(n.integer);
    case op::real:
        return text_of_real(n.real);
    case op::text:
        return '"' + space.texts[n.text] + '"';
    case op::input:
        return space.inputs[n.subject].name;
    case op::element:
        return space.parameters[n.subject].name + '[' + std::to_string(n.integer) + ']';
    case op::position:
        return space.parameters[n.subject].name + ".position(" + std::to_string(n.integer) + ')';
    default:
        return space.parameters[n.subject].name;
    }
}

/// A leaf as a node and as text; notes in `scope` the parameter it reads.
inline lowered_operand
lower_leaf(description& space, instruction const& step, std::vector<std::uint32_t>& scope)
{
    expression_node n{.code = step.code, .integer = step.integer, .real = step.real};
    switch (step.code) {
    case op::integer:
    case op::real:
        break;
    case op::text:
        n.text = intern_text(space, step.text);
        break;
    case op::input:
        n.subject = intern_input(space, step.text, static_cast<value_kind>(step.integer));
        n.integer = 0;
        break;
    default:
        n.subject = space.find_parameter(step.text);
        scope.push_back(n.subject);
        break;
    }
    return {intern_node(space, n), text_of_leaf(space, n), leaf_rank};
}

/// The text of `n` and how tightly it binds.
[[nodiscard]] inline lowered_operand print_node(description const& space, expression_node const& n)
{
    int const taken = operand_count(n.code);
    if (taken == 0) return {no_index, text_of_leaf(space, n), leaf_rank};
    std::vector<lowered_operand> args{print_node(space, space.nodes[n.first])};
    if (taken > 1) args.push_back(print_node(space, space.nodes[n.second]));
    if (taken > 2) args.push_back(print_node(space, space.nodes[n.third]));
    return {no_index, text_of_operation(n.code, args), shape_of(n.code).rank};
}

std::string text_of_node(description const& space, expression_node const& n)
{
    return print_node(space, n).text;
}

/// @pre every parameter the code reads is in `space` (checked at compile time by where())
constraint_description lower_code(description& space, std::span<instruction const> code)
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
        lowered_operand result{
            intern_node(space, n), text_of_operation(step.code, args), shape_of(step.code).rank};
        stack.erase(stack.end() - static_cast<std::ptrdiff_t>(taken), stack.end());
        stack.push_back(std::move(result));
    }
    out.root = stack.back().node;
    out.text = std::move(stack.back().text);
    std::sort(out.scope.begin(), out.scope.end());
    out.scope.erase(std::unique(out.scope.begin(), out.scope.end()), out.scope.end());
    return out;
}

void require_declared(description const& space,
                      std::span<instruction const> code,
                      std::string_view what)
{
    for (instruction const& step : code) {
        bool const is_parameter =
            step.code == op::parameter || step.code == op::element || step.code == op::position;
        bool const is_known = space.find_parameter(step.text) != no_index;
        if (is_parameter && !is_known)
            throw error(std::string(what) + " reads a parameter that is not in the space",
                        "parameter " + std::string(step.text),
                        "add it to attune::space(...)");
        if (step.code == op::input && is_known)
            throw error(std::string(what) + " reads an input that has the name of a parameter",
                        "input " + std::string(step.text),
                        "rename the input, or use the parameter");
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
