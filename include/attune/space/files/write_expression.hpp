// attune/space/files/write_expression.hpp - an expression as the text that parse_expression() reads.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// The text of `node` in the language of parse_expression(), with the fewest brackets.
/// Errors  attune::error when it is larger than that language allows
[[nodiscard]] std::string write_expression(description const& space, std::uint32_t node);

/// The text of a constraint: as its user wrote it where parse_constraint() reads that back to the
/// same nodes, else write_expression() of its root.
/// Errors  attune::error for an opaque predicate, which no text can stand for
[[nodiscard]] std::string constraint_source(description const& space,
                                            constraint_description const& constraint);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/write_expression.ipp>
#endif
