// attune/remember/files/python_json.hpp - JSON as Python's module writes it, and where a text is none.
// SPDX-License-Identifier: MIT
// tested by remember/files/t4.cpp
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace attune::inline ATTUNE_ABI::detail {

/// `text` with each NaN, Infinity and -Infinity outside of texts as a text of that name.
/// Cost  linear
[[nodiscard]] inline std::string with_quoted_numbers(std::string_view text)
{
    std::string out;
    bool is_inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_inside && text[i] == '\\' && i + 1 < text.size()) {
            out += text[i++];
        } else if (text[i] == '"') {
            is_inside = !is_inside;
        } else if (!is_inside) {
            std::string_view const rest = text.substr(i);
            bool is_found = false;
            for (std::string_view const word : {"NaN", "Infinity", "-Infinity"}) {
                if (!rest.starts_with(word)) continue;
                out += '"';
                out += word;
                out += '"';
                i += word.size() - 1;
                is_found = true;
                break;
            }
            if (is_found) continue;
        }
        out += text[i];
    }
    return out;
}

/// "line 2, column 7, at 'x'": what is there, up to the next separator.
[[nodiscard]] inline std::string place_in(std::string_view text, std::size_t at)
{
    at = std::min(at, text.size());
    std::string_view const before = text.substr(0, at);
    std::size_t const line_begin = before.find_last_of('\n') + 1; // npos + 1 is 0
    std::string out = "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) +
                      ", column " + std::to_string(at - line_begin + 1);
    std::string_view const rest = text.substr(at);
    std::string_view const found =
        rest.substr(0, std::min(rest.find_first_of(" \t\r\n,:}]"), std::size_t{20}));
    if (rest.empty()) return out + ", where it ends";
    return out + ", at '" + std::string(found.empty() ? rest.substr(0, 1) : found) + '\'';
}

/// Where the first number is that no double can hold.
/// @param text  whose numbers are right as JSON
[[nodiscard]] inline std::size_t place_of_large_number(std::string_view text)
{
    constexpr std::string_view digits = "+-.0123456789Ee";
    bool is_inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_inside && text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            is_inside = !is_inside;
        } else if (!is_inside && (text[i] == '-' || (text[i] >= '0' && text[i] <= '9'))) {
            std::size_t const end = std::min(text.find_first_not_of(digits, i), text.size());
            double value = 0;
            auto const read = std::from_chars(text.data() + i, text.data() + end, value);
            if (read.ec == std::errc::result_out_of_range) return i;
            i = end - 1;
        }
    }
    return text.size();
}

/// Where `text` stops to be JSON; nothing: it is an object.
template <class Json>
[[nodiscard]] std::optional<std::string> json_problem(std::string_view text)
{
    try {
        if (Json::parse(text).is_object()) return std::nullopt;
        return "it is a value of another kind";
    } catch (typename Json::parse_error const& e) {
        // The byte is the last one read. A word or number may have been read to its end.
        std::size_t at = e.byte > 0 ? e.byte - 1 : 0;
        while (at > 0 && at < text.size() &&
               text.substr(at - 1, 1).find_first_of(" \t\r\n,:{}[]\"") == text.npos)
            --at;
        return place_in(text, at);
    } catch (typename Json::out_of_range const&) {
        return place_in(text, place_of_large_number(text)) + ", a number that is too large";
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
