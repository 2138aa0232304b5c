// attune/declare/expression/operation.hpp - sign, operands, precedence and value of each operation.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/arithmetic.hpp>
#include <attune/core/enum_table.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The evaluation, bounds and text of all operations of a group follow one rule.
enum class operation_group : std::uint8_t {
    literal,    ///< a leaf: a constant
    parameter,  ///< a leaf: a parameter, or a part of one
    input,      ///< a leaf: an input
    sign,       ///< of one number
    negation,   ///< of one truth
    arithmetic, ///< of two numbers, with a value unless it overflows
    division,   ///< of two numbers, the second not 0; a quotient
    remainder,  ///< of two numbers, the second not 0
    order,      ///< a truth: which of two numbers is less
    equality,   ///< a truth, of two numbers or of two texts
    chain,      ///< of two truths; evaluates the second only if the first does not decide
    choice,     ///< of three: the first decides which of the other two is the value
};

/// The outcomes of a comparison for which a relation holds.
struct relation {
    bool if_less = false;
    bool if_same = false;
    bool if_more = false;
    bool if_unordered = false; ///< holds if one side is NaN
};

/// The properties of one operation.
struct operation_rules {
    op of{};
    operation_group group{};
    std::uint8_t operands = 0;
    std::string_view sign{};                  ///< in C++, or the name of a function
    bool is_call = false;                     ///< written as a call: sign(a, b)
    std::uint8_t rank = 9;                    ///< precedence in C++; a larger rank binds tighter
    relation holds{};                         ///< of an order or equality
    integer_operation* on_integers = nullptr; ///< of sign, arithmetic, division, remainder
    real_operation* on_reals = nullptr;
};

inline constexpr std::uint8_t leaf_rank = 9;
inline constexpr std::uint8_t unary_rank = 8;

// clang-format off
inline constexpr enum_table<operation_rules, op::select> operations{{
    {op::integer,       operation_group::literal},
    {op::real,          operation_group::literal},
    {op::text,          operation_group::literal},
    {op::parameter,     operation_group::parameter},
    {op::element,       operation_group::parameter},
    {op::position,      operation_group::parameter},
    {op::input,         operation_group::input},
    {op::negate,        operation_group::sign,       1, "-",         false, unary_rank, {}, integers::negate, reals::negate},
    {op::logical_not,   operation_group::negation,   1, "!",         false, unary_rank},
    {op::absolute,      operation_group::sign,       1, "abs",       true,  leaf_rank, {}, integers::absolute, reals::absolute},
    {op::add,           operation_group::arithmetic, 2, "+",         false, 6, {}, integers::add, reals::add},
    {op::subtract,      operation_group::arithmetic, 2, "-",         false, 6, {}, integers::subtract, reals::subtract},
    {op::multiply,      operation_group::arithmetic, 2, "*",         false, 7, {}, integers::multiply, reals::multiply},
    {op::divide,        operation_group::division,   2, "/",         false, 7, {}, integers::divide, reals::divide},
    {op::modulo,        operation_group::remainder,  2, "%",         false, 7, {}, integers::modulo, reals::modulo},
    {op::floor_divide,  operation_group::division,   2, "floor_div", true,  leaf_rank, {}, integers::floor_divide, reals::floor_divide},
    {op::floor_modulo,  operation_group::remainder,  2, "floor_mod", true,  leaf_rank, {}, integers::floor_modulo, reals::floor_modulo},
    {op::ceil_divide,   operation_group::division,   2, "ceil_div",  true,  leaf_rank, {}, integers::ceil_divide, reals::ceil_divide},
    {op::minimum,       operation_group::arithmetic, 2, "min",       true,  leaf_rank, {}, integers::minimum, reals::minimum},
    {op::maximum,       operation_group::arithmetic, 2, "max",       true,  leaf_rank, {}, integers::maximum, reals::maximum},
    {op::less,          operation_group::order,      2, "<",         false, 5, {.if_less = true}},
    {op::less_equal,    operation_group::order,      2, "<=",        false, 5, {.if_less = true, .if_same = true}},
    {op::greater,       operation_group::order,      2, ">",         false, 5, {.if_more = true}},
    {op::greater_equal, operation_group::order,      2, ">=",        false, 5, {.if_same = true, .if_more = true}},
    {op::equal,         operation_group::equality,   2, "==",        false, 4, {.if_same = true}},
    {op::not_equal,     operation_group::equality,   2, "!=",        false, 4, {.if_less = true, .if_more = true, .if_unordered = true}},
    {op::logical_and,   operation_group::chain,      2, "&&",        false, 3},
    {op::logical_or,    operation_group::chain,      2, "||",        false, 2},
    {op::select,        operation_group::choice,     3, "select",    true},
}};
// clang-format on

[[nodiscard]] constexpr operation_rules const& rules_of(op code) noexcept
{
    return operations[code];
}

[[nodiscard]] constexpr bool is_leaf(op code) noexcept { return rules_of(code).operands == 0; }
/// Returns true if a leaf reads a parameter or a part of one.
[[nodiscard]] constexpr bool names_parameter(op code) noexcept
{
    return rules_of(code).group == operation_group::parameter;
}
[[nodiscard]] constexpr bool is_division(op code) noexcept
{
    operation_group const group = rules_of(code).group;
    return group == operation_group::division || group == operation_group::remainder;
}
[[nodiscard]] constexpr bool is_remainder(op code) noexcept
{
    return rules_of(code).group == operation_group::remainder;
}
[[nodiscard]] constexpr bool is_equality(op code) noexcept
{
    return rules_of(code).group == operation_group::equality;
}
[[nodiscard]] constexpr bool is_comparison(op code) noexcept
{
    return rules_of(code).group == operation_group::order || is_equality(code);
}
[[nodiscard]] constexpr bool is_chain(op code) noexcept
{
    return rules_of(code).group == operation_group::chain;
}
/// Returns true if the value is 0 or 1 for all operands.
[[nodiscard]] constexpr bool yields_truth(op code) noexcept
{
    return is_comparison(code) || is_chain(code) ||
           rules_of(code).group == operation_group::negation;
}

/// Returns true if `wanted` holds between two numbers.
[[nodiscard]] constexpr bool satisfies(relation const& wanted, number const& a,
                                       number const& b) noexcept
{
    // No branches: the processor could not predict them.
    auto const answer = [&](auto x, auto y) {
        bool const less = x < y;
        bool const more = x > y;
        bool const same = x == y;
        return ((wanted.if_less & less) | (wanted.if_more & more) | (wanted.if_same & same) |
                (wanted.if_unordered & !(less | more | same))) != 0;
    };
    if (a.is_real != b.is_real)
        return b.is_real
                   ? in_order(a.integer, b.real, answer)
                   : in_order(b.integer, a.real, [&](auto y, auto x) { return answer(x, y); });
    return a.is_real ? answer(a.real, b.real) : answer(a.integer, b.integer);
}

/// The result of an operation on numbers: on reals if one operand is real, else on integers.
/// Nothing if it has no value. An operation of one operand reads `a`.
/// @pre  the rules have on_integers and on_reals
[[nodiscard]] inline std::optional<number> compute(operation_rules const& rules, number const& a,
                                                   number const& b)
{
    if (a.is_real || b.is_real) {
        double out = 0;
        if (!rules.on_reals(a.as_real(), b.as_real(), out)) return {};
        return number::of(out);
    }
    std::int64_t out = 0;
    if (!rules.on_integers(a.integer, b.integer, out)) return {};
    return number::of(out);
}

/// `code` applied to its operands. Evaluates the same operands as C++.
/// @param chooses_real          of a choice: the value is real even if the chosen operand is not
/// @param first, second, third  functions that return std::optional<number>; called only if `code`
///                              has this operand
/// @pre  `code` is no leaf, and no equality of texts
/// Cost   always inlined: counting and drawing in spaces without a tree evaluate conditions
template <class First, class Second, class Third>
[[nodiscard, gnu::always_inline]] inline std::optional<number>
apply_operation(op code, bool chooses_real, First const& first, Second const& second,
                Third const& third)
{
    operation_rules const& rules = rules_of(code);
    auto const truth = [](bool v) { return number::of(std::int64_t{v}); };
    std::optional<number> const a = first();
    if (!a) return {};
    auto const is_true = [&] { return a->as_real() != 0; };
    switch (rules.group) {
    case operation_group::sign:
        return compute(rules, *a, *a);
    case operation_group::negation:
        return truth(!is_true());
    case operation_group::chain:
        if (is_true() == (code == op::logical_or)) return truth(code == op::logical_or);
        break;
    case operation_group::choice: {
        std::optional<number> const chosen = is_true() ? second() : third();
        return chosen && chooses_real ? number::of(chosen->as_real()) : chosen;
    }
    default:
        break;
    }
    std::optional<number> const b = second();
    if (!b) return {};
    if (rules.group == operation_group::chain) return truth(b->as_real() != 0);
    if (rules.on_integers == nullptr) return truth(satisfies(rules.holds, *a, *b));
    return compute(rules, *a, *b);
}

/// Number of operands that an operation takes from the stack.
[[nodiscard]] constexpr int operand_count(op code) noexcept { return rules_of(code).operands; }

} // namespace attune::inline ATTUNE_ABI::detail
