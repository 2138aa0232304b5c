// attune/ship/detail/cpp_text.hpp - values as text of C++, literals and names, and as words of a shell.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Any text as a string literal of ASCII characters.
[[nodiscard]] inline std::string literal_of(std::string_view text)
{
    std::string out = "\"";
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\' || c == '?') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte >= 0x7f) {
            out += '\\'; // three octal digits end the escape, before any next character
            out += static_cast<char>('0' + (byte >> 6));
            out += static_cast<char>('0' + (byte >> 3 & 7));
            out += static_cast<char>('0' + (byte & 7));
        } else {
            out += c;
        }
    }
    return out + '"';
}

/// A name of C++ similar to `text`: "linear__sgemm" for "linear::sgemm".
[[nodiscard]] inline std::string identifier_of(std::string_view text)
{
    std::string out;
    for (char const c : text) {
        bool const is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                             (c >= '0' && c <= '9' && !out.empty());
        out += is_word ? c : '_';
    }
    return out.empty() ? "_" : out;
}

/// A double to the last bit.
[[nodiscard]] inline std::string literal_of(double value) { return hexadecimal_text(value); }

/// Text for a comment that ends with its line.
[[nodiscard]] inline std::string comment_of(std::string_view text)
{
    std::string out;
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        out += byte < 0x20 || byte >= 0x7f || c == '\\' ? ' ' : c;
    }
    return out;
}

/// The text as a single word of a shell.
[[nodiscard]] inline std::string quoted_for_shell(std::string const& text)
{
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=-+.,/:%@";
    if (!text.empty() && text.find_first_not_of(plain) == text.npos) return text;
    std::string out = "'";
    for (char const c : text)
        out += c == '\'' ? std::string("'\\''") : std::string{c};
    return out + '\'';
}

} // namespace attune::inline ATTUNE_ABI::detail
