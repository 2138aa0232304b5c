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
    bool is_quoted = false; ///< an empty text is a value if quoted, else nothing
};
using csv_row = std::vector<csv_cell>;

/// Returns true for a text such as "-1.5e3", which a spreadsheet reads as a number, not as a
/// formula.
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

/// A text with one of these in front is a formula for a spreadsheet.
inline constexpr std::string_view formula_begins = "=+-@\t\n";

/// Removes characters that turn the direction of text or move a cursor, and adds an apostrophe
/// before a text that a spreadsheet would read as a formula. Numbers stay. value_of_cell() gives
/// the text back.
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

/// The text of a cell, in quotation marks if it needs them.
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

/// Returns true for a row such as 1;0,5 below a head of two cells: semicolons separate its cells,
/// and each comma is a decimal one. Such a row has no decimal point, and no pair such as M=1;N=2.
[[nodiscard]] inline bool has_decimal_commas(csv_row const& row, std::size_t cells)
{
    std::string line;
    for (csv_cell const& cell : row) {
        if (cell.is_quoted) return false;
        line += (line.empty() ? "" : ",") + cell.text;
    }
    if (line.find_first_of("=.") != line.npos) return false;
    std::size_t found = 1;
    for (std::size_t i = 0; i < line.size(); ++i) {
        found += line[i] == ';' ? 1U : 0U;
        auto const is_digit = [&](std::size_t at) {
            return at < line.size() && line[at] >= '0' && line[at] <= '9';
        };
        if (line[i] == ',' && !(is_digit(i - 1) && is_digit(i + 1))) return false;
    }
    return found > 1 && found == cells;
}

/// All rows, with the values of csv_text(). Skips blank lines. Spaces around a cell without
/// quotation marks are no part of it; a line ends with \n, \r\n or \r.
/// @param name  of the file, for errors
/// Errors  attune::error: an unclosed quotation mark; a row of another length than the first; cells
///         that semicolons or tabs separate
[[nodiscard]] inline std::vector<csv_row> read_csv(std::string_view text, std::string const& name)
{
    std::vector<csv_row> out;
    std::size_t line = 1, begun = 1;
    auto const refuse = [&](std::string const& why) {
        throw error("the table cannot be read: " + why, name + ':' + std::to_string(begun),
                    "repair that line");
    };
    auto const refuse_separator = [&](char other) {
        throw error(std::string("the table cannot be read: its cells are separated by ") +
                        (other == ';' ? "semicolons" : "tabs"),
                    name, "save it with commas between cells, and points in numbers");
    };
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3); // Excel writes it
    std::string_view const first = text.substr(0, text.find_first_of("\r\n"));
    if (first == "sep=,") text.remove_prefix(first.size()); // a hint for Excel
    csv_row row;
    csv_cell cell;
    bool is_open = false, is_new = true;
    auto const is_blank = [&] { return cell.text.find_first_not_of(' ') == cell.text.npos; };
    auto const end_cell = [&] {
        if (!cell.is_quoted) {
            cell.text.erase(cell.text.find_last_not_of(' ') + 1); // npos + 1 is 0
            cell.text.erase(0, std::min(cell.text.find_first_not_of(' '), cell.text.size()));
        }
        cell.text = value_of_cell(cell.text);
        row.push_back(std::exchange(cell, {}));
    };
    auto const end_row = [&] {
        if (row.empty() && !cell.is_quoted && is_blank()) return cell.text.clear();
        end_cell();
        if (out.empty() && row.size() == 1)
            for (char const other : {';', '\t'})
                if (row[0].text.find(other) != std::string::npos) refuse_separator(other);
        if (!out.empty() && has_decimal_commas(row, out[0].size())) refuse_separator(';');
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
                std::size_t const next = text.find_first_not_of(' ', i + 1);
                i = std::min(next, text.size()) - 1;
                if (next == text.npos || std::string_view(",\r\n").find(text[next]) != text.npos)
                    continue;
                if (text[next] == ';' || text[next] == '\t') refuse_separator(text[next]);
                refuse("a text behind a quotation mark");
            }
            continue;
        }
        switch (c) {
        case '"':
            if (!is_new && !is_blank()) refuse("a quotation mark inside of a text");
            cell.text.clear();
            is_open = cell.is_quoted = true;
            is_new = false;
            break;
        case ',':
            end_cell();
            is_new = true;
            break;
        case '\r':
            if (i + 1 < text.size() && text[i + 1] == '\n') break;
            ++line;
            [[fallthrough]];
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
