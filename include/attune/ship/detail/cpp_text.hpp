// attune/ship/detail/cpp_text.hpp - values as C++ text: literals and names.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
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
            out += '\\'; // three octal digits end the escape, whatever follows
            out += static_cast<char>('0' + (byte >> 6));
            out += static_cast<char>('0' + (byte >> 3 & 7));
            out += static_cast<char>('0' + (byte & 7));
        } else {
            out += c;
        }
    }
    return out + '"';
}

/// A name of C++ that reads like `text`: "linear__sgemm" of "linear::sgemm".
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

} // namespace attune::inline ATTUNE_ABI::detail
