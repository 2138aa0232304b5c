// attune/space/files/expression_limits.hpp - limits of the size of an expression in a file.
// SPDX-License-Identifier: MIT
//
// tested by space/files/expression_parser.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>

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
