// attune/declare/group.hpp - the values of a configuration as users see them: one per name.
// SPDX-License-Identifier: MIT
//
// A group (array or long permutation) is several parameters of the description. Whatever shows,
// stores, compiles or reads back a configuration goes through these functions and not through the
// parameters.
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

/// One value under one name: a parameter on its own, or a group.
struct named_value {
    std::string_view name;
    std::uint32_t first = 0;                  ///< its first parameter
    std::uint32_t count = 1;                  ///< number of its parameters
    group_description const* group = nullptr; ///< of the description; or nullptr

    /// Whether its parameters are the digits of an order. A short order is one parameter.
    [[nodiscard]] bool is_long_order() const noexcept
    {
        return group != nullptr && group->traits().is_order;
    }
    /// Whether its parameters are the elements of an array.
    [[nodiscard]] bool is_array() const noexcept
    {
        return group != nullptr && !group->traits().is_order;
    }
};

/// The values of a configuration, in order of declaration. They point into `d`.
[[nodiscard]] std::vector<named_value> named_values(description const& d);

/// The value called `name`; nothing if there is none. An element of an array has a name, too.
[[nodiscard]] std::optional<named_value> find_value(description const& d, std::string_view name);

/// The text of a value: of an array "{1, 4, 2}", of a permutation "{2, 0, 1}", whatever its length.
/// "(no order)" where digits are outside their tables.
/// @param at  one coordinate per parameter of `d`
[[nodiscard]] std::string text_at(description const& d, named_value const& of,
                                  std::span<coordinate const> at);

/// Whether a value counts at `at`: of an array or order whether some part does. As is_active() of a
/// parameter (activity.hpp).
[[nodiscard]] bool is_active(description const& d, named_value const& of,
                             std::span<coordinate const> at);

/// What a text of the group's value has to be: "any order of 0 to 15", "{...} with 8 values".
[[nodiscard]] std::string accepted_text(group_description const& of);

/// Puts the value with this text into `at`.
/// @return  whether there is such a value; if not, `at` is unchanged
[[nodiscard]] bool set_value(description const& d, named_value const& of, std::span<coordinate> at,
                             std::string_view text);

/// The default of a value as text; nothing without one.
[[nodiscard]] std::optional<std::string> default_text_of(description const& d,
                                                         named_value const& of);

/// Makes `text` the default of a value.
/// @return  false, and `d` unchanged, when `text` is no list of so many parts, or no order; that
///          parts are values of their tables is left to bind_inputs()
[[nodiscard]] bool set_default_text(description& d, named_value const& of, std::string_view text);

/// "CUT[2]", the name of an element.
[[nodiscard]] std::string name_of_element(std::string_view array, std::size_t place);

/// Appends `count` parameters like `one` as an array called `name`.
void append_elements(description& d, std::string_view name, parameter_description const& one,
                     std::size_t count);

/// "ORDER.digit(2)", the name of a digit.
[[nodiscard]] std::string name_of_digit(std::string_view permutation, std::size_t place);

/// Appends the digits of a permutation of `items` items as a group called `name`.
/// @pre  max_permutation_items < items <= max_group_parts
void append_digits(description& d, std::string_view name, std::uint32_t items);

/// Makes an order of all its items the default of the group that was appended last.
/// @pre  that is a permutation, and `order` one of its orders
void set_default_order(description& d, int const* order);

/// Makes `order` the default of the permutation `of`.
/// @return  false when it is no order of its items
bool set_default_order(description& d, group_description const& of,
                       std::vector<std::int64_t> const& order);

/// The texts of the parts of "{1, 4, 2}", without the spaces around them; nothing for a text
/// without braces.
[[nodiscard]] std::optional<std::vector<std::string>> parts_of_list(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/group.ipp>
#endif
