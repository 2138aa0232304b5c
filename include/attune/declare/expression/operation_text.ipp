// attune/declare/expression/operation_text.ipp - signs, calls and parentheses.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/expression/operation_text.hpp>

#include <cstddef>

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

} // namespace attune::inline ATTUNE_ABI::detail
