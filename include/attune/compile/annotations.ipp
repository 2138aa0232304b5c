// attune/compile/annotations.ipp - finds ATTUNE_TUNABLE in kernel text.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> [compile] -> measure -> remember
// In       kernel text
// Out      the definitions of annotations.hpp; included by exactly one translation unit
// Source   own
// Depends  std only
// Tests    tests/compile/annotations.cpp
#pragma once

#include <attune/compile/annotations.hpp>
#include <attune/compile/scan.hpp>
#include <attune/core/error.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline constexpr char const* annotation_form =
    "write it as ATTUNE_TUNABLE(NAME, default), for example ATTUNE_TUNABLE(TILE_M, 64)";

[[nodiscard]] inline std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && code_cursor::is_space(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && code_cursor::is_space(text.back()))
        text.remove_suffix(1);
    return text;
}

/// The text up to a comma (when `stop_at_comma`) or the closing parenthesis, both at depth 0. The
/// cursor stands on that character afterwards, or at the end of the text.
[[nodiscard]] inline std::string_view
annotation_part(std::string_view text, code_cursor& cursor, bool stop_at_comma)
{
    std::size_t const begin = cursor.position();
    int depth = 0;
    while (!cursor.at_end()) {
        char const c = cursor.peek();
        if (code_cursor::is_word(c)) {
            cursor.word();
            continue;
        }
        if (depth == 0 && (c == ')' || (stop_at_comma && c == ','))) break;
        depth += (c == '(' || c == '[' || c == '{') ? 1 : 0;
        depth -= (c == ')' || c == ']' || c == '}') ? 1 : 0;
        cursor.step();
    }
    return trimmed(text.substr(begin, cursor.position() - begin));
}

/// Reads from the opening parenthesis on.
[[nodiscard]] inline annotation read_annotation(std::string_view text,
                                                code_cursor& cursor,
                                                std::size_t line,
                                                std::string const& file)
{
    std::string const where = file + ':' + std::to_string(line);
    cursor.step();
    cursor.skip_spaces();
    std::string const name(annotation_part(text, cursor, true));
    if (!is_identifier(name))
        throw error(
            "'" + name.substr(0, 40) + "' cannot name a tunable parameter", where, annotation_form);
    if (cursor.peek() != ',')
        throw error("ATTUNE_TUNABLE(" + name + ") has no default", where, annotation_form);
    cursor.step();
    cursor.skip_spaces();
    std::string const value(annotation_part(text, cursor, false));
    if (cursor.at_end())
        throw error("ATTUNE_TUNABLE(" + name + ", ... is not closed", where, annotation_form);
    if (value.empty())
        throw error("ATTUNE_TUNABLE(" + name + ") has no default", where, annotation_form);
    return {name, value, line, file};
}

} // namespace detail

std::vector<annotation> find_annotations(std::string_view text, std::string const& file)
{
    std::vector<annotation> found;
    detail::code_cursor cursor(text);
    std::string_view before;
    while (!cursor.at_end()) {
        if (!detail::code_cursor::is_word(cursor.peek())) {
            cursor.step();
            continue;
        }
        std::size_t const line = cursor.line();
        std::string_view const word = cursor.word();
        bool const is_use = word == "ATTUNE_TUNABLE" && before != "define" && before != "undef" &&
                            before != "ifdef" && before != "ifndef" && before != "defined";
        before = word;
        if (!is_use) continue;
        cursor.skip_spaces();
        if (cursor.peek() == '(')
            found.push_back(detail::read_annotation(text, cursor, line, file));
    }
    return found;
}

std::vector<annotation> find_annotations(kernel_source const& kernel)
{
    std::vector<annotation> found;
    for (source_part const& part : source_parts(kernel))
        for (annotation& next : find_annotations(part.text, part.path)) {
            auto const same = std::find_if(found.begin(), found.end(), [&](annotation const& a) {
                return a.name == next.name;
            });
            if (same != found.end() && same->default_text != next.default_text)
                throw error("tunable parameter '" + next.name + "' has two defaults, " +
                                same->default_text + " and " + next.default_text,
                            same->file + ':' + std::to_string(same->line) + " and " + next.file +
                                ':' + std::to_string(next.line),
                            "give it one default, or name it once and use a constant after that");
            found.push_back(std::move(next));
        }
    return found;
}

} // namespace attune::inline ATTUNE_ABI
