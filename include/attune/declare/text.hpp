// attune/declare/text.hpp - values of parameters as text, and back; the text that identifies a space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/table.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The shortest text that reads back as `v`; a whole number keeps ".0".
[[nodiscard]] std::string text_of_real(double v);
[[nodiscard]] std::string text_of_number(number const& v);

/// A text without spaces, so that "{1,2}" and "{ 1, 2 }" are the same value.
[[nodiscard]] std::string without_spaces(std::string_view text);

[[nodiscard]] std::optional<double> parse_real(std::string_view text);

/// The whole numbers of "{2,0,1}" or "64"; a number may have an integer suffix such as `u` or `LL`.
/// Nothing for any other text, such as a text with spaces.
[[nodiscard]] std::optional<std::vector<std::int64_t>> parse_integers(std::string_view text);

/// The text of a list: "{64, 2, 0}".
template <class Range>
[[nodiscard]] std::string text_of_elements(Range const& elements);

/// The text of a typed value, equal to text_of() for the same value in a table.
template <class T>
[[nodiscard]] std::string text_of_value(T const& value)
{
    if constexpr (std::is_same_v<T, bool>)
        return value ? "true" : "false";
    else if constexpr (std::is_enum_v<T>)
        return std::to_string(static_cast<std::int64_t>(value));
    else if constexpr (std::is_floating_point_v<T>)
        return text_of_real(static_cast<double>(value));
    else if constexpr (std::is_integral_v<T>)
        return std::to_string(value);
    else if constexpr (std::is_convertible_v<T, std::string_view>)
        return std::string(std::string_view{value});
    else
        return text_of_elements(value);
}

template <class Range>
std::string text_of_elements(Range const& elements)
{
    std::string out = "{";
    char const* separator = "";
    for (auto const& e : elements) {
        out += separator + text_of_value(e);
        separator = ", ";
    }
    return out + "}";
}

} // namespace detail

/// The value at a coordinate. @pre the table is bound and `at` lies in it
[[nodiscard]] std::string text_of(parameter_description const& parameter, coordinate at);

/// The coordinate whose value has this text; nothing if the parameter has no such value. Spaces
/// have no effect, and texts of equal values are equal: "0.50f" finds 0.5, "1" and "True" find
/// true, "6.4e1" finds 64, "[0, 1]" finds {0, 1}.
[[nodiscard]] std::optional<coordinate> coordinate_of(parameter_description const& parameter,
                                                      std::string_view text);

namespace detail {

/// The inputs that have a value, in order, each with the text of its value.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
texts_of_inputs(description const& space);

/// The text of an inactive parameter's value in a configuration.
inline constexpr std::string_view inactive_text = "(inactive)";

} // namespace detail

/// "TILE_M=64 ORDER={0, 1, 2} PACK=(inactive)": a whole configuration in one line.
[[nodiscard]] std::string text_of(description const& space, point const& at);

namespace detail {

/// The text that identifies a space; the type does not, because spaces whose ranges differ only in
/// bounds have the same type.
///
/// The text has names, kinds, scales, values or the rules that make them, conditions and
/// constraints, in order. It has no defaults and priors, because they guide the search and do not
/// change a result. A space without conditional parameters has the text of releases without
/// conditions. Of an opaque predicate the text has only the parameters. So after a change of the
/// predicate, results from before the change still match: rename a parameter, or write the
/// condition as an expression.
[[nodiscard]] std::string schema_text(description const& space);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/text.ipp>
#endif
