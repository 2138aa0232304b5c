// attune/space/files/expression_parser.hpp - reads constraints from texts at run time.
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

/// Reads one expression; shares equal nodes with `space`.
///
/// Values: 64-bit integers (also 0x10), reals, 'texts', True, False, names of parameters and
/// inputs; a name that is no identifier, or is a keyword, is written in `backquotes`. Operators as
/// in Python: + - * / // % ** and or not == != < <= > >=, chained comparisons, `in` and `not in` a
/// (tuple) or [list], `a if c else b`; also && || !. Functions: min, max, abs, select(c, a, b),
/// floor_div, floor_mod, ceil_div, and trunc_div, trunc_mod, which round as C++. ORDER[0] is an
/// element of a permutation or tile, position(ORDER, 2) the place of item 2.
///
/// `/` is true division. Its result is a whole number if both sides are whole and no values of the
/// parameters leave a remainder (tried when they have at most 1024 settings); else a double, exact
/// for whole numbers below 2^53.
/// @return its root, an index into `space.nodes`
/// Errors  syntax_error; `space` may then contain unused nodes
std::uint32_t parse_expression(description& space, std::string_view text);

/// Reads one condition with its text; does not add it to `space.constraints`.
/// Errors  syntax_error, also when the expression is a text, not a condition
constraint_description parse_constraint(description& space, std::string_view text);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/expression_parser.ipp>
#endif
