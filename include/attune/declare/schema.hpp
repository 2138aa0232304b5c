// attune/declare/schema.hpp - everything that decides what a space is, as one text.
// SPDX-License-Identifier: MIT
//
// Types cannot do this: two spaces whose ranges differ only in their bounds have the same C++ type.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI {

/// Names, kinds, scales, values or the rule that makes them, and constraints, in order. Defaults
/// and priors are left out: they guide the search, they do not change what a result means. Of an
/// opaque predicate only its parameters are known: a change of what it says leaves the text as it
/// was, so results of before are found again. Rename a parameter, or say it as an expression.
[[nodiscard]] std::string schema_text(description const& space);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/schema.ipp>
#endif
