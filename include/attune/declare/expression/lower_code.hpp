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

/// Index of `text` among the texts of `space`; appends a new text.
std::uint32_t intern_text(description& space, std::string_view text);

/// Index of the input called `name`; adds a new input, without a value.
std::uint32_t intern_input(description& space, std::string_view name, value_kind type);

/// The formula `n` as a user would write it, with the fewest parentheses.
/// @pre the operands of `n` are nodes of `space`
[[nodiscard]] std::string text_of_node(description const& space, expression_node const& n);

/// @pre every parameter that the code reads is in `space`; where() checks it at compile time,
///            require_declared() at run time
constraint_description lower_code(description& space, std::span<instruction const> code);

/// @param what  the owner of the formula, for the text of an error: "kernel.work(...)"
/// Errors   attune::error: the code reads a parameter that is not in `space`, or an input that has
///          the name of a parameter
void require_declared(description const& space, std::span<instruction const> code,
                      std::string_view what);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/expression/lower_code.ipp>
#endif
