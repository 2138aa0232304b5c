// attune/core/number_text.ipp - std::to_chars and std::from_chars, which depend on no locale.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>

#include <array>
#include <cmath>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::string text_of_quantity(double value, bool is_seconds)
{
    if (!is_seconds) return detail::formatted("%.6g", value);
    // A value that three digits would round to 1000 takes the next larger unit.
    if (value >= 999.5) return detail::formatted("%.0f s", value);
    if (value >= 0.9995) return detail::formatted("%.3g s", value);
    if (value >= 0.9995e-3) return detail::formatted("%.3g ms", value * 1e3);
    if (value >= 0.9995e-6) return detail::formatted("%.3g us", value * 1e6);
    return detail::formatted("%.3g ns", value * 1e9);
}

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string formatted(std::string_view format, double value)
{
    std::string out;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        if (i + 1 < format.size() && format[i + 1] == '%') {
            out += format[++i];
            continue;
        }
        // `i` is at '%'; the digits begin after "%.".
        int digits = 0;
        for (i += 2; i < format.size() && format[i] >= '0' && format[i] <= '9'; ++i)
            digits = 10 * digits + (format[i] - '0');
        bool const is_fixed = i < format.size() && format[i] == 'f';
        std::array<char, 400> text{}; // the largest double has 309 digits before the point
        auto const end =
            std::to_chars(text.data(), text.data() + text.size(), value,
                          is_fixed ? std::chars_format::fixed : std::chars_format::general, digits);
        out.append(text.data(), end.ptr);
    }
    return out;
}

ATTUNE_INLINE std::string seconds_text(double seconds)
{
    return formatted(std::fabs(seconds) < 999.5 ? "%.3g s" : "%.0f s", seconds);
}

ATTUNE_INLINE std::string text_of_bytes(double bytes)
{
    constexpr std::array units{" bytes", " KiB", " MiB", " GiB", " TiB", " PiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit)
        bytes /= 1024;
    bool const is_short = unit > 0 && bytes < 999.5;
    return formatted(is_short ? "%.3g" : "%.0f", bytes) + units[unit];
}

ATTUNE_INLINE std::string hexadecimal_text(double value)
{
    if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    std::array<char, 64> text{};
    auto const end = std::to_chars(text.data(), text.data() + text.size(), std::fabs(value),
                                   std::chars_format::hex);
    return (std::signbit(value) ? "-0x" : "0x") + std::string(text.data(), end.ptr);
}

ATTUNE_INLINE std::string hexadecimal_text(std::uint64_t number, std::size_t digits)
{
    std::array<char, 16> text{};
    auto const end = std::to_chars(text.data(), text.data() + text.size(), number, 16);
    std::string const out(text.data(), end.ptr);
    return "0x" + std::string(out.size() < digits ? digits - out.size() : 0, '0') + out;
}

ATTUNE_INLINE std::optional<double> real_in_text(std::string_view text)
{
    bool const is_negative = text.starts_with('-');
    std::string_view digits = text.substr(is_negative ? 1 : 0);
    if (digits.starts_with('-')) return {};
    bool const is_hexadecimal = digits.starts_with("0x");
    if (is_hexadecimal) digits.remove_prefix(2);
    double value = 0;
    auto const [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value,
                        is_hexadecimal ? std::chars_format::hex : std::chars_format::general);
    if (problem != std::errc{} || end != digits.data() + digits.size() || std::signbit(value))
        return {};
    return is_negative ? -value : value;
}

} // namespace attune::inline ATTUNE_ABI::detail
