// attune/declare/table.hpp - the values of a parameter by index and as text; the text that identifies a space.
// SPDX-License-Identifier: MIT
// Source   permutations by Lehmer code, lexicographic (Knuth, TAOCP 4A, Sec. 7.2.1.2); factors by
//          Pollard's rho (Brent 1980), primes by Miller-Rabin with the bases of Sinclair (2011)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The `rank`-th order of `out.size()` items, lexicographically: out[i] is the item at place i.
void permutation_at(std::uint32_t rank, std::span<std::int64_t> out) noexcept;

/// The inverse of permutation_at. @pre `order` holds 0 .. size - 1 once each
[[nodiscard]] std::uint32_t permutation_rank(std::span<std::int64_t const> order) noexcept;

} // namespace detail

/// The elements of a permutation or tile at `index`.
[[nodiscard]] std::vector<std::int64_t> elements_at(parameter_description const& parameter,
                                                    std::uint32_t index);

/// The number at a coordinate of a parameter with one numeric value; for a text, its index.
[[nodiscard]] inline number number_at(parameter_description const& parameter, coordinate at)
{
    if (parameter.traits().is_interval) return number::of(at.real);
    if (!parameter.integers.empty() || parameter.range_count > 0)
        return number::of(parameter.integer_at(at.index));
    if (!parameter.reals.empty()) return number::of(parameter.reals[at.index]);
    return number::of(std::int64_t{at.index});
}

namespace detail {

/// A prime, and how many times it divides the number.
struct prime_power {
    std::int64_t prime = 0;
    int exponent = 0;
};

/// The primes that divide `extent`, ascending. Cost: about 10'000 steps for the worst 63 bits.
/// @pre extent >= 1
[[nodiscard]] std::vector<prime_power> prime_factors(std::int64_t extent);

/// Every divisor of `extent`, ascending. @pre extent >= 1
[[nodiscard]] std::vector<std::int64_t> divisors(std::int64_t extent);

/// Number of rows of factor_table(extent, parts): the parts can share a prime that divides `extent`
/// e times in C(e + parts - 1, e) ways. A double, because the number may exceed 64 bits.
[[nodiscard]] double factorisation_count(std::int64_t extent, std::uint32_t parts);

/// All ordered products of `parts` factors that are `extent`: one row of `parts` numbers each, rows
/// ascending lexicographically.
/// @pre extent >= 1, parts >= 1
[[nodiscard]] std::vector<std::int64_t> factor_table(std::int64_t extent, std::uint32_t parts);

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
/// have no effect, and texts of equal numbers are equal: "0.50f" finds 0.5, "1" finds true.
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
#include <attune/declare/table.ipp>
#endif
