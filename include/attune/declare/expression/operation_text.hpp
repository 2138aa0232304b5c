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
