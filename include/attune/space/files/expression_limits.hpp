// attune/space/files/expression_limits.hpp - how large an expression of a file may be.
// SPDX-License-Identifier: MIT
//
// tested by space/files/expression_parser.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Brackets inside brackets that an expression may have.
inline constexpr std::size_t max_expression_nesting = 100;
/// Operations on the longest way from the root of an expression to a leaf.
inline constexpr std::uint32_t max_expression_depth = 1000;
/// Operations of an expression once powers, chains and `in` are written out.
inline constexpr std::uint32_t max_expression_size = 100'000;
/// The largest exponent of `**`, which must be a literal.
inline constexpr std::int64_t max_exponent = 16;

} // namespace attune::inline ATTUNE_ABI
