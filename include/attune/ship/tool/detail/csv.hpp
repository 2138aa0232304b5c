// attune/ship/tool/detail/csv.hpp - tables of texts, separated by commas.
// SPDX-License-Identifier: MIT
// Source   RFC 4180
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

struct csv_cell {
    std::string text{};
    bool is_quoted = false; ///< an empty text, where it is; else nothing
};
using csv_row = std::vector<csv_cell>;

/// "-1.5e3": a spreadsheet takes it for a number, not for a formula.
[[nodiscard]] inline bool is_plain_number(std::string_view text) noexcept
{
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    auto const take_digits = [&] {
        std::size_t const count = std::min(text.find_first_not_of("0123456789"), text.size());
        text.remove_prefix(count);
        return count;
    };
    std::size_t digits = take_digits();
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        digits += take_digits();
    }
    if (digits > 0 && (text.starts_with('e') || text.starts_with('E'))) {
        text.remove_prefix(1);
        if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
        digits = take_digits();
    }
    return digits > 0 && text.empty();
}

/// With these in front a spreadsheet takes a text for a formula.
inline constexpr std::string_view formula_begins = "=+-@\t\n";

/// Without what turns the direction of text or moves a cursor, and with an apostrophe before what a
/// spreadsheet would take for a formula. Numbers stay. value_of_cell() gives the text back.
[[nodiscard]] inline std::string cell_of_value(std::string_view text)
{
    std::string_view const behind = text.substr(std::min<std::size_t>(text.size(), 1), 1);
    bool const is_formula = !text.empty() && formula_begins.find(text.front()) != text.npos;
    bool const looks_marked =
        text.starts_with('\'') && !behind.empty() &&
        (behind.front() == '\'' || formula_begins.find(behind.front()) != behind.npos);
    bool const is_marked = (is_formula && !is_plain_number(text)) || looks_marked;
    return (is_marked ? "'" : "") + escaped_text(text, escaping::reversible);
}
[[nodiscard]] inline std::string value_of_cell(std::string_view cell)
{
    bool const is_marked = cell.size() > 1 && cell[0] == '\'' &&
                           (cell[1] == '\'' || formula_begins.find(cell[1]) != cell.npos);
    return unescaped_text(cell.substr(is_marked ? 1 : 0));
}

/// The text of a cell, in quotation marks where it needs some.
[[nodiscard]] inline std::string csv_text(std::string_view value)
{
    std::string const text = cell_of_value(value);
    if (!text.empty() && text.find_first_of(",\"\r\n") == text.npos && text.front() != ' ' &&
        text.back() != ' ')
        return std::string(text);
    std::string out = "\"";
    for (char const c : text)
        out += c == '"' ? std::string("\"\"") : std::string{c};
    return out + '"';
}

/// All rows, with the values of csv_text(); blank lines are none.
/// @param name  of the file, for errors
/// Errors  attune::error: a quotation mark without its twin; a row of another length than the first
[[nodiscard]] inline std::vector<csv_row> read_csv(std::string_view text, std::string const& name)
{
    std::vector<csv_row> out;
    std::size_t line = 1, begun = 1;
    auto const refuse = [&](std::string const& why) {
        throw error("the table cannot be read: " + why, name + ':' + std::to_string(begun),
                    "repair that line");
    };
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3); // as Excel writes it
    csv_row row;
    csv_cell cell;
    bool is_open = false, is_new = true;
    auto const end_cell = [&] {
        cell.text = value_of_cell(cell.text);
        row.push_back(std::exchange(cell, {}));
    };
    auto const end_row = [&] {
        if (row.empty() && cell.text.empty() && !cell.is_quoted) return;
        end_cell();
        if (!out.empty() && row.size() != out[0].size())
            refuse("it has " + std::to_string(row.size()) + " cells, and the first row " +
                   std::to_string(out[0].size()));
        out.push_back(std::move(row));
        row.clear();
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (c == '\n') ++line;
        if (is_open) {
            if (c != '"')
                cell.text += c;
            else if (i + 1 < text.size() && text[i + 1] == '"')
                cell.text += text[++i];
            else {
                is_open = false;
                char const next = i + 1 < text.size() ? text[i + 1] : '\n';
                if (next != ',' && next != '\r' && next != '\n')
                    refuse("a text behind a quotation mark");
            }
            continue;
        }
        switch (c) {
        case '"':
            if (!is_new) refuse("a quotation mark inside of a text");
            is_open = cell.is_quoted = true;
            is_new = false;
            break;
        case ',':
            end_cell();
            is_new = true;
            break;
        case '\r':
            if (i + 1 < text.size() && text[i + 1] != '\n') cell.text += c;
            break;
        case '\n':
            end_row();
            begun = line;
            is_new = true;
            break;
        default:
            cell.text += c;
            is_new = false;
        }
    }
    if (is_open) refuse("a quotation mark without its twin");
    end_row();
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
