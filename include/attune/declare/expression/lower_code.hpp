// attune/declare/expression/lower_code.hpp - converts postfix code to expression nodes and to text.
// SPDX-License-Identifier: MIT
//
// Equal nodes are shared (hash-consing by comparison: constraints have few nodes)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/expression.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// An operand: node, text and precedence.
struct lowered_operand {
    std::uint32_t node;
    std::string text;
    int rank;
};

/// The operation `code` on `args`, with the fewest parentheses.
[[nodiscard]] std::string text_of_operation(op code, std::span<lowered_operand const> args);

/// Index of a node equal to `n`; appends `n` if there is none.
std::uint32_t intern_node(description& space, expression_node const& n);

/// Index of `text` among the texts of `space`; appends it if it is new.
std::uint32_t intern_text(description& space, std::string_view text);

/// Index of the input called `name`; adds it without a value if it is new.
std::uint32_t intern_input(description& space, std::string_view name, value_kind type);

/// The formula `n` as a user would write it, with the fewest parentheses.
/// @pre the operands of `n` are nodes of `space`; `n` itself need not be one
[[nodiscard]] std::string text_of_node(description const& space, expression_node const& n);

/// @pre every parameter that the code reads is in `space`; where() checks it at compile time,
///            require_declared() at run time
constraint_description lower_code(description& space, std::span<instruction const> code);

/// Errors   attune::error: the code reads a parameter that is not in `space`, or an input that has
///          a parameter's name; `what` is the owner of the formula, for the text
void require_declared(description const& space, std::span<instruction const> code,
                      std::string_view what);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/expression/lower_code.ipp>
#endif
