// attune/space/files/write_expression.hpp - writes an expression for parse_expression().
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// The text of `node` in the language of parse_expression(), with the fewest brackets.
/// Errors  attune::error when it exceeds the limits of that language
[[nodiscard]] std::string write_expression(description const& space, std::uint32_t node);

/// The text of a constraint: the user's own if parse_constraint() reads it as the same nodes, else
/// write_expression() of its root.
/// Errors  attune::error for an opaque predicate, which has no text
[[nodiscard]] std::string constraint_source(description const& space,
                                            constraint_description const& constraint);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/write_expression.ipp>
#endif
