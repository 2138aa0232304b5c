// attune/declare/group.hpp - the values of a configuration as users see them: one per name, of arrays and permutations too.
// SPDX-License-Identifier: MIT
//
// A group (array or long permutation) is several parameters of the description. Code that shows,
// stores, compiles or reads back a configuration calls these functions, instead of reading single
// parameters.
//
// A permutation of at most max_permutation_items items is one coordinate; a longer permutation is a
// group of digits. Digit k is the number of items after place k that are smaller than the item at
// place k. One step of a digit up or down swaps two items, so neighbours differ little.
// Source   factorial number system: Knuth, TAOCP 2, Sec. 4.1, and Lehmer 1960; both directions with
//          a binary indexed tree (Fenwick 1994)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if order_of() accepts `parameter`.
[[nodiscard]] bool has_order(description const& d, std::uint32_t parameter) noexcept;

/// Number of items of a permutation.  @pre  has_order(d, parameter)
[[nodiscard]] std::size_t items_of(description const& d, std::uint32_t parameter) noexcept;

/// The order that a permutation of `d` has in `p`: items 0 .. n - 1 by place.
/// @param parameter  the parameter of the permutation, or any digit of a long one
/// @pre   has_order(d, parameter); `p` has one coordinate per parameter, each inside its table
/// Cost   O(n log n)
[[nodiscard]] std::vector<std::uint16_t> order_of(description const& d, std::uint32_t parameter,
                                                  point const& p);

/// Makes `order` the order of a permutation in `p`; other parameters keep their values.
/// @pre   as order_of(); `order` has the items 0 .. n - 1 once each
void set_order(description const& d, std::uint32_t parameter, point& p,
               std::span<std::uint16_t const> order);

/// The coordinates of the elements of an array in `p`, in order.
/// @param parameter  any element of the array
/// @pre   `parameter` belongs to an array; `p` has one coordinate per parameter
[[nodiscard]] std::span<coordinate const> elements_in(description const& d, std::uint32_t parameter,
                                                      point const& p) noexcept;
/// The same coordinates, for writing.
[[nodiscard]] std::span<coordinate> elements_in(description const& d, std::uint32_t parameter,
                                                point& p) noexcept;

/// The digits of an order: as many as items, the last is 0.
/// @return  nothing if `order` does not have 0 .. n - 1 once each; digit k is below n - k
[[nodiscard]] std::vector<std::uint32_t> digits_of_order(std::span<std::int64_t const> order);

/// The inverse of digits_of_order().
/// @param digits  n - 1 digits, or n digits if the last is 0
/// @param items   n >= 1
[[nodiscard]] std::vector<std::uint16_t> order_of_digits(std::span<coordinate const> digits,
                                                         std::size_t items);

/// order_of_digits() without the types that would slow each inclusion of decode.hpp.
/// @param digits  items - 1 digits
/// @param order   `items` numbers
void write_order(coordinate const* digits, int* order, std::size_t items);

/// The inverse of write_order().
/// @return  false, and `digits` unchanged, if `order` is no order
[[nodiscard]] bool write_digits(int const* order, coordinate* digits, std::size_t items);

/// A value with a name: a single parameter, or a group.
struct named_value {
    std::string_view name;
    std::uint32_t first = 0;                  ///< its first parameter
    std::uint32_t count = 1;                  ///< number of its parameters
    group_description const* group = nullptr; ///< in the description; nullptr for a single one

    /// Returns true for the digits of a long order. A short order is one parameter.
    [[nodiscard]] bool is_long_order() const noexcept
    {
        return group != nullptr && group->traits().is_order;
    }
    /// Returns true if the parameters are the elements of an array.
    [[nodiscard]] bool is_array() const noexcept
    {
        return group != nullptr && !group->traits().is_order;
    }
};

/// The values of a configuration, in order of declaration. They have pointers into `d`.
[[nodiscard]] std::vector<named_value> named_values(description const& d);

/// The value called `name`; nothing if no value has this name. An element of an array has a name,
/// too.
[[nodiscard]] std::optional<named_value> find_value(description const& d, std::string_view name);

/// The text of a value. An array: "{1, 4, 2}"; a permutation of any length: "{2, 0, 1}". "(no
/// order)" if digits are outside their tables.
/// @param at  one coordinate per parameter of `d`
[[nodiscard]] std::string text_at(description const& d, named_value const& of,
                                  std::span<coordinate const> at);

/// Returns true if a value is active at `at`; a group is active if one of its parameters is. See
/// is_active() of a parameter (activity.hpp).
[[nodiscard]] bool is_active(description const& d, named_value const& of,
                             std::span<coordinate const> at);

/// The required form of a group's text: "any order of 0 to 15", "{...} with 8 values".
[[nodiscard]] std::string accepted_text(group_description const& of);

/// Puts the value with this text into `at`.
/// @return  false, and `at` unchanged, if no value has this text
[[nodiscard]] bool set_value(description const& d, named_value const& of, std::span<coordinate> at,
                             std::string_view text);

/// The default of a value as text; nothing if it has none.
[[nodiscard]] std::optional<std::string> default_text_of(description const& d,
                                                         named_value const& of);

/// Makes `text` the default of a value.
/// @return  false, and `d` unchanged, if `text` is no list with the number of parts of the group, or
///          no order; bind_inputs() checks that the parts are in their tables
[[nodiscard]] bool set_default_text(description& d, named_value const& of, std::string_view text);

/// The name of an element: "CUT[2]".
[[nodiscard]] std::string name_of_element(std::string_view array, std::size_t place);

/// Appends an array called `name` of `count` parameters like `one`.
void append_elements(description& d, std::string_view name, parameter_description const& one,
                     std::size_t count);

/// The name of a digit: "ORDER.digit(2)".
[[nodiscard]] std::string name_of_digit(std::string_view permutation, std::size_t place);

/// Appends the digits of a permutation of `items` items as a group called `name`.
/// @pre  max_permutation_items < items <= max_group_parts
void append_digits(description& d, std::string_view name, std::uint32_t items);

/// Makes `order` the default of the last group.
/// @pre  the last group is a permutation, and `order` is one of its orders
void set_default_order(description& d, int const* order);

/// Makes `order` the default of the permutation `of`.
/// @return  false if `order` is no order of the items
bool set_default_order(description& d, group_description const& of,
                       std::vector<std::int64_t> const& order);

/// The texts of the parts of "{1, 4, 2}", "[1, 4, 2]" or "(1, 4, 2)", without the spaces around
/// them; nothing for a text without brackets.
[[nodiscard]] std::optional<std::vector<std::string>> parts_of_list(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/group.ipp>
#endif
