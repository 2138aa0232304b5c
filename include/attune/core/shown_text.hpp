// attune/core/shown_text.hpp - any bytes as text that a page or a terminal can show.
// SPDX-License-Identifier: MIT
// tested by ship/report/write_html.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The text with the letters A to Z in lower case, the same in every locale.
[[nodiscard]] inline std::string in_small_letters(std::string text)
{
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

/// A code point of UTF-8, and its length in bytes.
struct code_point {
    char32_t value = 0xfffd; ///< 0xfffd if the bytes are no UTF-8
    std::size_t bytes = 1;
};

/// @pre  not empty
[[nodiscard]] inline code_point first_code_point(std::string_view text) noexcept
{
    auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return {byte(0), 1};
    std::size_t const bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) return {};
    char32_t value = byte(0) & (0xffu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0u) != 0x80u) return {};
        value = value << 6 | (byte(i) & 0x3fu);
    }
    constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool const is_surrogate = value >= 0xd800 && value < 0xe000;
    if (value < least[bytes] || value > 0x10ffff || is_surrogate) return {};
    return {value, bytes};
}

/// Returns false for code points that no page may hold, or that change the direction of the text.
[[nodiscard]] inline bool is_shown(char32_t c) noexcept
{
    bool const is_control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0);
    bool const is_direction = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
                              c == 0x200e || c == 0x200f || c == 0x061c;
    bool const is_nothing = (c & 0xfffeu) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
    return !is_control && !is_direction && !is_nothing;
}

/// Calls `plain(bytes)` for each code point of `text`, with U+FFFD for code points that cannot be
/// shown.
template <class Plain>
void for_each_shown(std::string_view text, Plain plain)
{
    while (!text.empty()) {
        code_point const c = first_code_point(text);
        bool const is_replaced = c.value == 0xfffd || !is_shown(c.value);
        plain(is_replaced ? std::string_view("\xef\xbf\xbd") : text.substr(0, c.bytes));
        text.remove_prefix(c.bytes);
    }
}

/// Text for one line of a terminal, without control sequences.
[[nodiscard]] inline std::string shown_text(std::string_view text)
{
    std::string out;
    for_each_shown(text, [&](std::string_view bytes) {
        out += bytes == "\n" || bytes == "\t" ? std::string_view(" ") : bytes;
    });
    return out;
}

/// shown_text() for a text of several lines.
[[nodiscard]] inline std::string shown_lines(std::string_view text)
{
    std::string out;
    for_each_shown(text, [&](std::string_view bytes) { out += bytes; });
    return out;
}

/// The byte that an escape such as "\x1b" at the start of a text encodes; negative if there is
/// none.
[[nodiscard]] inline int escaped_byte(std::string_view text) noexcept
{
    if (text.size() < 4 || text[0] != '\\' || text[1] != 'x') return -1;
    int out = 0;
    for (char const c : text.substr(2, 2)) {
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return -1;
        out = out * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return out;
}

enum class escaping {
    one_line,   ///< line ends and tabs are escaped too, and a backslash stays as it is
    reversible, ///< line ends and tabs stay; unescaped_text() gives the text back
};

/// Writes code points that cannot be shown as "\x1b", byte by byte. Leaves the others.
[[nodiscard]] inline std::string escaped_text(std::string_view text, escaping how)
{
    std::string out;
    while (!text.empty()) {
        code_point const c = first_code_point(text);
        bool const is_broken = c.bytes == 1 && c.value == 0xfffd; // no UTF-8
        bool const is_blank = c.value == '\n' || c.value == '\t';
        bool const is_escaped = is_broken || !is_shown(c.value) ||
                                (how == escaping::one_line ? is_blank : escaped_byte(text) >= 0);
        for (char const one : text.substr(0, c.bytes)) {
            auto const byte = static_cast<unsigned char>(one);
            if (!is_escaped) {
                out += one;
                continue;
            }
            out += "\\x";
            out += "0123456789abcdef"[byte >> 4];
            out += "0123456789abcdef"[byte & 15];
        }
        text.remove_prefix(c.bytes);
    }
    return out;
}

/// Inverse of escaped_text(text, escaping::reversible). Other text stays as it is.
[[nodiscard]] inline std::string unescaped_text(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        std::string bytes; // escaped bytes from here on
        for (int byte;
             bytes.size() < 4 && (byte = escaped_byte(text.substr(4 * bytes.size(), 4))) >= 0;)
            bytes += static_cast<char>(byte);
        code_point const c = bytes.empty() ? code_point{} : first_code_point(bytes);
        bool const is_broken = c.bytes == 1 && c.value == 0xfffd;
        if (bytes.empty() || !(is_broken || !is_shown(c.value) || c.value == '\\')) {
            out += text.front();
            text.remove_prefix(1);
            continue;
        }
        out += bytes.substr(0, c.bytes);
        text.remove_prefix(4 * c.bytes);
    }
    return out;
}

/// The first `most` code points; adds "..." if there are more.
[[nodiscard]] inline std::string shortened(std::string_view text, std::size_t most)
{
    std::size_t bytes = 0;
    for (std::size_t n = 0; bytes < text.size(); ++n) {
        if (n == most) return std::string(text.substr(0, bytes)) + "\xe2\x80\xa6";
        bytes += first_code_point(text.substr(bytes)).bytes;
    }
    return std::string(text);
}

} // namespace attune::inline ATTUNE_ABI::detail
