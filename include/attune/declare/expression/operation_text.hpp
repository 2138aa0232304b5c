// attune/declare/expression/operation_text.hpp - how an operation reads in the text of a constraint.
// SPDX-License-Identifier: MIT
//
// tested by declare/expression/lower_code.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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

/// One operand: its node, how it reads, and how tightly it binds.
struct lowered_operand {
    std::uint32_t node;
    std::string text;
    int rank;
};

/// The operation `code` on `args`, with the fewest parentheses.
[[nodiscard]] std::string text_of_operation(op code, std::span<lowered_operand const> args);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/expression/operation_text.ipp>
#endif
