// attune/declare/schema.hpp - a text that identifies a space.
// SPDX-License-Identifier: MIT
//
// A type cannot identify it: spaces whose ranges differ only in their bounds have the same type.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Names, kinds, scales, values or the rules that make them, conditions and constraints, in order.
/// Defaults and priors are left out: they guide the search and do not change the meaning of a
/// result. A space without conditions has the text of releases that knew no conditions. Of an
/// opaque predicate the text has only its parameters: after a change of the predicate, old results
/// are still found. Rename a parameter then, or state the condition as an expression.
[[nodiscard]] std::string schema_text(description const& space);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/schema.ipp>
#endif
