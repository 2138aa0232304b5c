// attune/declare/nest/nest_operation.hpp - sign, operands, precedence and cost of a program's operations.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <cstdint>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Operations of one group are written in the same way.
enum class nest_group : std::uint8_t {
    literal,
    access,
    axis,
    input,
    conversion,
    negation,
    magnitude,
    function,   ///< of one number, in <cmath>
    arithmetic, ///< of two numbers, with a sign between them
    bound,      ///< of two numbers: one of them
    truth,      ///< of two numbers, with a sign between them
    choice,     ///< of three
};

/// Operations of one kind take a processor about as long.
enum class operation_kind : std::uint8_t {
    multiply_add, ///< a product and the sum that it is added to
    add,
    multiply,
    divide,
    compare,
    function,
    other,
    convert,
    truth,
    selection,
    none, ///< a number that is there
};

/// The properties of one operation of a program.
struct nest_operation_rules {
    nest_op of{};
    nest_group group{};
    std::uint8_t operands = 0;
    std::string_view sign{}; ///< in C++, or the name of a function
    int rank = 5;            ///< precedence in C++; a larger rank binds tighter
    operation_kind kind = operation_kind::none;
    bool is_costly = false; ///< costs more than a load
};

// clang-format off
inline constexpr enum_table<nest_operation_rules, nest_op::select> nest_operations{{
    {nest_op::literal,            nest_group::literal},
    {nest_op::access,             nest_group::access},
    {nest_op::axis,               nest_group::axis},
    {nest_op::input,              nest_group::input},
    {nest_op::convert,            nest_group::conversion, 1, "cast",   5, operation_kind::convert},
    {nest_op::negate,             nest_group::negation,   1, "-",      4, operation_kind::other},
    {nest_op::absolute,           nest_group::magnitude,  1, "abs",    5, operation_kind::other},
    {nest_op::exponential,        nest_group::function,   1, "exp",    5, operation_kind::function, true},
    {nest_op::logarithm,          nest_group::function,   1, "log",    5, operation_kind::function, true},
    {nest_op::square_root,        nest_group::function,   1, "sqrt",   5, operation_kind::function, true},
    {nest_op::hyperbolic_tangent, nest_group::function,   1, "tanh",   5, operation_kind::function, true},
    {nest_op::error_function,     nest_group::function,   1, "erf",    5, operation_kind::function, true},
    {nest_op::add,                nest_group::arithmetic, 2, "+",      2, operation_kind::add},
    {nest_op::subtract,           nest_group::arithmetic, 2, "-",      2, operation_kind::add},
    {nest_op::multiply,           nest_group::arithmetic, 2, "*",      3, operation_kind::multiply},
    {nest_op::divide,             nest_group::arithmetic, 2, "/",      3, operation_kind::divide, true},
    {nest_op::minimum,            nest_group::bound,      2, "min",    5, operation_kind::compare},
    {nest_op::maximum,            nest_group::bound,      2, "max",    5, operation_kind::compare},
    {nest_op::less,               nest_group::truth,      2, "<",      1, operation_kind::truth},
    {nest_op::less_equal,         nest_group::truth,      2, "<=",     1, operation_kind::truth},
    {nest_op::equal,              nest_group::truth,      2, "==",     1, operation_kind::truth},
    {nest_op::select,             nest_group::choice,     3, "select", 5, operation_kind::selection},
}};
// clang-format on

[[nodiscard]] constexpr nest_operation_rules const& rules_of(nest_op code) noexcept
{
    return nest_operations[code];
}

/// The number that changes no other by a reduction's step.
enum class neutral_number : std::uint8_t { zero, one, lowest, highest };

/// The properties of one way to combine values.
struct reduction_rules {
    reduction of{};
    std::string_view name{};  ///< in a program's text
    nest_op step{};           ///< combines two values; of `none`, what the target holds and a value
    neutral_number neutral{}; ///< with which the combination begins
    /// Whether two combinations of parts are combined as two values are; those of
    /// argument_of_maximum are places.
    bool joins_parts = false;
};

// clang-format off
inline constexpr enum_table<reduction_rules, reduction::argument_of_maximum> rules_of_reductions{{
    {reduction::none,                "value",   nest_op::add,      neutral_number::zero},
    {reduction::sum,                 "sum",     nest_op::add,      neutral_number::zero,    true},
    {reduction::product,             "product", nest_op::multiply, neutral_number::one,     true},
    {reduction::maximum,             "max",     nest_op::maximum,  neutral_number::lowest,  true},
    {reduction::minimum,             "min",     nest_op::minimum,  neutral_number::highest, true},
    {reduction::argument_of_maximum, "argmax",  nest_op::maximum,  neutral_number::lowest},
}};
// clang-format on

[[nodiscard]] constexpr reduction_rules const& rules_of(reduction combine) noexcept
{
    return rules_of_reductions[combine];
}

} // namespace attune::inline ATTUNE_ABI::detail
