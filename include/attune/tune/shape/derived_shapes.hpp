// attune/tune/shape/derived_shapes.hpp - smaller calls derived from one call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A smaller call.
struct derived_shape {
    static constexpr std::int64_t unchanged = -1;

    std::vector<std::int64_t> sizes{}; ///< by argument: length of an array, or value of an integer
    std::vector<std::int64_t> key{};   ///< its shape
};

/// Smaller calls on the beginnings of the same arrays. Together, their sizes leave every remainder
/// by every number up to 64 and by every divisor, lie below, on and beside every divisor, and occur
/// in every order.
///
/// The sizes are the integers that are neither bound to an input nor ignored; without any, the
/// common length of all arrays. A length that equals one of these integers, or a product of two or
/// three, shrinks with them. Other lengths, and integers below 2, do not change.
///
/// The declaration of a kernel does not state which sizes it accepts: a call on which the trusted
/// code fails proves nothing.
///
/// @param layout    of `key`
/// @param key       the shape of the call
/// @param choice    which arguments count
/// @param divisors  numbers that may set the variant's remainders, such as tiles
/// @return  in order of use; empty if nothing can be made smaller, or if arrays overlap
[[nodiscard]] std::vector<derived_shape> derived_shapes(std::span<shape_word const> layout,
                                                        std::span<std::int64_t const> key,
                                                        shape_choice const& choice,
                                                        std::span<std::int64_t const> divisors);

/// The distinct sizes from which derived_shapes() derives calls, in order. Calls with equal
/// relations among their lengths and integers have equal results.
[[nodiscard]] std::vector<std::int64_t> relations_of(std::span<shape_word const> layout,
                                                     std::span<std::int64_t const> key,
                                                     shape_choice const& choice);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/derived_shapes.ipp>
#endif
