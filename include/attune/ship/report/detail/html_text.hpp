// attune/ship/report/detail/html_text.hpp - any text as text of a page: never as an element or a script.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// As the text of an element, or the value of an attribute between double quotes.
[[nodiscard]] inline std::string html_text(std::string_view text)
{
    std::string out;
    for_each_shown(text, [&](std::string_view bytes) {
        switch (bytes[0]) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += bytes;
        }
    });
    return out;
}

/// As a string of JSON that may stand in a script element.
[[nodiscard]] inline std::string json_text(std::string_view text)
{
    std::string out = "\"";
    for_each_shown(text, [&](std::string_view bytes) {
        auto const c = static_cast<unsigned char>(bytes[0]);
        if (bytes.size() > 1 ||
            (c >= 0x20 && std::string_view("\"\\<>&").find(bytes[0]) == std::string_view::npos)) {
            out += bytes;
            return;
        }
        out += "\\u00";
        out += "0123456789abcdef"[c >> 4];
        out += "0123456789abcdef"[c & 15u];
    });
    return out + '"';
}

/// The shortest text of exactly this number; null where it is not finite.
inline void append_exact(std::string& to, double value)
{
    if (!std::isfinite(value)) {
        to += "null";
        return;
    }
    char digits[32];
    auto const end = std::to_chars(digits, digits + sizeof digits, value);
    to.append(digits, end.ptr);
}

/// A coordinate, to a tenth.
inline void append_place(std::string& to, double value)
{
    auto const tenths = std::llround(value * 10);
    if (tenths < 0) to += '-';
    std::uint64_t const size = static_cast<std::uint64_t>(tenths < 0 ? -tenths : tenths);
    to += std::to_string(size / 10);
    if (size % 10 != 0) {
        to += '.';
        to += static_cast<char>('0' + size % 10);
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
