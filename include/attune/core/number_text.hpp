// attune/core/number_text.hpp - numbers, counts and quantities as text, the same in every locale.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace attune::inline ATTUNE_ABI {

/// "1.25 ms"; the plain number if the unit is not seconds.
[[nodiscard]] std::string text_of_quantity(double value, bool is_seconds);

namespace detail {

/// The text that printf writes in the C locale, also after setlocale() and std::locale::global().
///
/// @param format  text with conversions %.Nf or %.Ng, N from 0 to 17; %% is a percent sign
[[nodiscard]] std::string formatted(std::string_view format, double value);

/// A double to the last bit, as %a writes it: "0x1.8p+0", "-inf", "nan".
[[nodiscard]] std::string hexadecimal_text(double value);

/// A number with at least so many digits: "0x41", "0xd0c".
[[nodiscard]] std::string hexadecimal_text(std::uint64_t number, std::size_t digits);

/// Seconds with three digits, or with all digits before the point: "0.25 s", "0.333 s", "3600 s".
[[nodiscard]] std::string seconds_text(double seconds);

/// A size in a fitting unit; each unit is 1,024 of the next smaller one: "96 bytes", "3.1 MiB".
[[nodiscard]] std::string text_of_bytes(double bytes);

/// The decimal number in `text`. Empty if `text` holds anything else, or a number out of range.
template <class Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text)
{
    Number out{};
    char const* const end = text.data() + text.size();
    auto const [stop, problem] = std::from_chars(text.data(), end, out);
    if (problem != std::errc{} || stop != end) return {};
    return out;
}

/// The number in `text`, decimal or as hexadecimal_text() writes it. Empty if `text` holds anything
/// else, or a number out of range.
[[nodiscard]] std::optional<double> real_in_text(std::string_view text);

/// "1 call", "2 calls". @param noun  one whose plural ends in s
[[nodiscard]] inline std::string count_text(std::uint64_t count, std::string const& noun)
{
    return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/number_text.ipp>
#endif
