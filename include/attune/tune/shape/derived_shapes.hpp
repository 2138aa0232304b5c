// attune/tune/shape/derived_shapes.hpp - smaller calls that can be made of one call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/shape/call_shape.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A smaller call.
struct derived_shape {
    static constexpr std::int64_t unchanged = -1;

    std::vector<std::int64_t> sizes{}; ///< by argument: length of an array, or value of an integer
    std::vector<std::int64_t> key{};   ///< its shape
};

/// Smaller calls on the beginnings of the same arrays: small sizes, which together leave every
/// remainder by every number up to 64 and by every divisor, lie below, on and off every divisor,
/// and in every order.
///
/// The sizes are the integers that neither give an input its value nor are ignored; where there are
/// none, the common length of all arrays. A length that is one of these integers, or a product of
/// two or three, shrinks with them; other lengths, and integers below 2, stay.
///
/// Whether a kernel can be called so, its declaration does not say: where trusted code does not
/// work on such a call, it proves nothing.
///
/// @param layout    of `key`, that of the call
/// @param choice    which arguments count
/// @param divisors  numbers that the variant's remainder code goes by
/// @return  in the order of their use; empty where nothing can be made smaller, or arrays overlap
[[nodiscard]] std::vector<derived_shape> derived_shapes(std::span<shape_word const> layout,
                                                        std::span<std::int64_t const> key,
                                                        shape_choice const& choice,
                                                        std::span<std::int64_t const> divisors);

/// The sizes of a call that calls are derived from, in order: equal ones are one. Calls with the
/// same relations among their lengths and integers have the same.
[[nodiscard]] std::vector<std::int64_t> relations_of(std::span<shape_word const> layout,
                                                     std::span<std::int64_t const> key,
                                                     shape_choice const& choice);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/derived_shapes.ipp>
#endif
