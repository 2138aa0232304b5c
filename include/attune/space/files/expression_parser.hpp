// attune/space/files/expression_parser.hpp - constraints as people write them in files, read at run time.
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

/// A text that cannot be read: says what was expected, and where.
class syntax_error : public error {
public:
    /// @param text    the whole text
    /// @param offset  the byte of it that is wrong; its size when the end comes too soon
    /// @param source  name of the file or constraint; may be empty
    syntax_error(std::string const& what,
                 std::string_view text,
                 std::size_t offset,
                 std::string const& source = "",
                 std::string const& next = "");

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

/// Brackets inside brackets that an expression may have.
inline constexpr std::size_t max_expression_nesting = 100;
/// Operations on the longest way from the root of an expression to a leaf.
inline constexpr std::uint32_t max_expression_depth = 1000;
/// Operations of an expression once powers, chains and `in` are written out.
inline constexpr std::uint32_t max_expression_size = 100'000;
/// The largest exponent of `**`, which must be a literal.
inline constexpr std::int64_t max_exponent = 16;

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
