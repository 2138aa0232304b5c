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

/// Index of a node equal to `n`, appended when there is none.
std::uint32_t intern_node(description& space, expression_node const& n);

/// Index of `text` among the texts of `space`, appended when it is new.
std::uint32_t intern_text(description& space, std::string_view text);

/// Index of the input called `name`, added without a value when it is new.
std::uint32_t intern_input(description& space, std::string_view name, value_kind type);

/// The formula `n` as a user would write it, with the fewest parentheses.
/// @pre the operands of `n` are nodes of `space`; `n` itself need not be one
[[nodiscard]] std::string text_of_node(description const& space, expression_node const& n);

/// @pre every parameter the code reads is in `space`: checked at compile time by where(), at run
///      time by require_declared()
constraint_description lower_code(description& space, std::span<instruction const> code);

/// Errors   attune::error: the code reads a parameter that is not in `space`, or an input that has
///          a parameter's name; `what` names the owner of the formula in the text
void require_declared(description const& space, std::span<instruction const> code,
                      std::string_view what);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/expression/lower_code.ipp>
#endif
