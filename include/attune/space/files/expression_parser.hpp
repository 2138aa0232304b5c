// attune/space/files/expression_parser.hpp - reads constraints from texts at run time; the error of a text that cannot be read.
// SPDX-License-Identifier: MIT
// Source   grammar: Python language reference, Sec. 6 (expressions), the part without objects
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// A text that cannot be read: the expected token and the position.
class syntax_error : public error {
public:
    /// @param text    the whole text
    /// @param offset  position of the wrong byte; the text's size if it ends too soon
    /// @param source  name of the file or constraint; may be empty
    syntax_error(std::string const& what, std::string_view text, std::size_t offset,
                 std::string const& source = "", std::string const& next = "");

    [[nodiscard]] std::string const& problem() const noexcept { return problem_; }
    [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
    [[nodiscard]] std::size_t line() const noexcept { return line_; }     ///< from 1
    [[nodiscard]] std::size_t column() const noexcept { return column_; } ///< from 1, in bytes

private:
    std::string problem_;
    std::size_t offset_;
    std::size_t line_;
    std::size_t column_;
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// The most nested brackets of an expression.
inline constexpr std::size_t max_expression_nesting = 100;
/// The most operations on a path from the root of an expression to a leaf.
inline constexpr std::uint32_t max_expression_depth = 1000;
/// The most operations of an expression, with powers, chains and `in` expanded.
inline constexpr std::uint32_t max_expression_size = 100'000;
/// The largest exponent of `**`, which must be a literal.
inline constexpr std::int64_t max_exponent = 16;

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// Reads one expression; shares equal nodes with `space`.
///
/// - Values: 64-bit integers (also 0x10, 0b11, 0o17, 1_000), reals, 'texts', True, False, names of
///   parameters and inputs. A name that is no identifier, or is a keyword, stands in `backquotes`.
/// - Operators as in Python: + - * / // % ** and or not == != < <= > >=, chained comparisons, `in`
///   and `not in` a (tuple), [list], {set} or range, `is True`, `a if c else b`; also && || !.
/// - (a, b) in [(1, 2), (3, 4)]: a tuple in a list of tuples.
/// - Functions: min, max (also of one list), abs, select(c, a, b), floor_div, floor_mod, ceil_div,
///   and trunc_div, trunc_mod, which round like C++.
/// - ORDER[0] is an element of a permutation or tile, position(ORDER, 2) the place of item 2.
///
/// `/` is true division. The result is a whole number if both sides are whole numbers and no
/// setting of the parameters leaves a remainder. If a setting leaves one, or if the parameters have
/// more than 1024 settings, the result is a double, exact for whole numbers below 2^53.
/// @return its root, an index into `space.nodes`
/// Errors  syntax_error; `space` may then contain unused nodes
std::uint32_t parse_expression(description& space, std::string_view text);

/// Reads one condition with its text; does not add it to `space.constraints`.
/// Errors  syntax_error, also if the value of the expression is a text
constraint_description parse_constraint(description& space, std::string_view text);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/expression_parser.ipp>
#endif
