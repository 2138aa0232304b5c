// attune/declare/order.hpp - the order of a permutation and the elements of an array at a point.
// SPDX-License-Identifier: MIT
// Source   factorial number system: Knuth, TAOCP 2, Sec. 4.1, and Lehmer 1960; both directions with
//          a binary indexed tree (Fenwick 1994)
//
// A permutation of at most max_permutation_items items is one coordinate, a longer one a group of
// digits: digit k says how many of the items behind place k are smaller than the item there. One
// step of a digit up or down therefore swaps two items, so that neighbours differ little.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether order_of() accepts `parameter`.
[[nodiscard]] bool has_order(description const& d, std::uint32_t parameter) noexcept;

/// Number of items of a permutation.  @pre  has_order(d, parameter)
[[nodiscard]] std::size_t items_of(description const& d, std::uint32_t parameter) noexcept;

/// The order that a permutation of `d` has in `p`: items 0 .. n - 1 by place.
/// @param parameter  the permutation's own, or any digit of a long one
/// @pre   has_order(d, parameter); `p` has one coordinate per parameter, each inside its table
/// Cost   O(n log n)
[[nodiscard]] std::vector<std::uint16_t> order_of(description const& d, std::uint32_t parameter,
                                                  point const& p);

/// Makes `order` the order of a permutation in `p`; other parameters stay.
/// @pre   as order_of(); `order` has the items 0 .. n - 1 once each
void set_order(description const& d, std::uint32_t parameter, point& p,
               std::span<std::uint16_t const> order);

/// The coordinates of the elements of an array: element i is that of d.parameters[first + i].
/// @param parameter  any element of the array
/// @pre   `parameter` belongs to an array; `p` has one coordinate per parameter
[[nodiscard]] std::span<coordinate const> elements_in(description const& d, std::uint32_t parameter,
                                                      point const& p) noexcept;
/// The same to be written.
[[nodiscard]] std::span<coordinate> elements_in(description const& d, std::uint32_t parameter,
                                                point& p) noexcept;

/// The digits of an order: as many as items, the last is 0.
/// @return  nothing if `order` is not 0 .. n - 1 once each; digit k is below n - k
[[nodiscard]] std::vector<std::uint32_t> digits_of_order(std::span<std::int64_t const> order);

/// The inverse of digits_of_order().
/// @param digits  n - 1 of them, or n with a last one of 0
/// @param items   n >= 1
[[nodiscard]] std::vector<std::uint16_t> order_of_digits(std::span<coordinate const> digits,
                                                         std::size_t items);

/// order_of_digits() without types that cost the many who include decode.hpp.
/// @param digits  items - 1 of them
/// @param order   `items` numbers
void write_order(coordinate const* digits, int* order, std::size_t items);

/// The inverse of write_order().  @return  false when `order` is none; then `digits` is unchanged
[[nodiscard]] bool write_digits(int const* order, coordinate* digits, std::size_t items);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/order.ipp>
#endif
