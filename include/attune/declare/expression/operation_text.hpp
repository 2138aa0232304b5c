// attune/declare/expression/operation_text.hpp - the text of an operation in a constraint.
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

/// One operand: node, text, and precedence.
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
