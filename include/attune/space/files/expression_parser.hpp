// attune/space/files/expression_parser.hpp - constraints as people write them in files, read at run time.
// SPDX-License-Identifier: MIT
// Source   grammar: Python language reference, Sec. 6 (expressions), the part without objects
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/files/expression_limits.hpp>
#include <attune/space/files/syntax_error.hpp>

#include <cstdint>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// Reads one expression; equal nodes are shared with those that `space` has.
///
/// Values: 64-bit integers (also 0x10), reals, 'texts', True, False, names of parameters and
/// inputs; a name that is no identifier, or is a word of the language, stands in `backquotes`.
/// Operators, as in Python: + - * / // % ** and or not == != < <= > >=, comparisons in chains,
/// `in` and `not in` a (tuple) or [list], `a if c else b`; also && || !. Functions: min, max, abs,
/// select(c, a, b), floor_div, floor_mod, ceil_div, and trunc_div, trunc_mod, which round as C++.
/// ORDER[0] reads an element of a permutation or tile, position(ORDER, 2) where item 2 stands.
///
/// `/` is true division. It stays in whole numbers when both sides are and it leaves no remainder
/// for any values of the parameters (tried when they have at most 1024 settings); else it is done
/// in doubles, exact while the whole numbers stay below 2^53.
/// @return its root, an index into `space.nodes`
/// Errors  syntax_error; `space` may then hold nodes that nothing uses
std::uint32_t parse_expression(description& space, std::string_view text);

/// Reads one condition and keeps its text as it was written; does not add it to
/// `space.constraints`.
/// Errors  syntax_error, also when the expression is a text, not a condition
constraint_description parse_constraint(description& space, std::string_view text);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/expression_parser.ipp>
#endif
