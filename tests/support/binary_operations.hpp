// tests/support/binary_operations.hpp - the operations that take two operands.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/expression/operation.hpp>

#include <array>
#include <span>

namespace attune_tests {

inline constexpr std::array binary_operations{
    attune::op::add,          attune::op::subtract,      attune::op::multiply,
    attune::op::divide,       attune::op::modulo,        attune::op::floor_divide,
    attune::op::floor_modulo, attune::op::ceil_divide,   attune::op::minimum,
    attune::op::maximum,      attune::op::less,          attune::op::less_equal,
    attune::op::greater,      attune::op::greater_equal, attune::op::equal,
    attune::op::not_equal,    attune::op::logical_and,   attune::op::logical_or};

/// Without those of truth values.
inline constexpr std::span<attune::op const> number_operations =
    std::span(binary_operations).first(binary_operations.size() - 2);

} // namespace attune_tests
