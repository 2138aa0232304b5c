// attune/ship/tool/detail/csv.hpp - tables of texts, separated by commas.
// SPDX-License-Identifier: MIT
// Source   RFC 4180
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

struct csv_cell {
    std::string text{};
    bool is_quoted = false; ///< an empty text, where it is; else nothing
};
using csv_row = std::vector<csv_cell>;

[[nodiscard]] inline std::string csv_text(std::string_view text)
{
    if (!text.empty() && text.find_first_of(",\"\r\n") == text.npos && text.front() != ' ' &&
        text.back() != ' ')
        return std::string(text);
    std::string out = "\"";
    for (char const c : text)
        out += c == '"' ? std::string("\"\"") : std::string{c};
    return out + '"';
}

/// All rows; blank lines are none.
/// @param name  of the file, for errors
/// Errors  attune::error: a quotation mark without its twin; a row of another length than the first
[[nodiscard]] inline std::vector<csv_row> read_csv(std::string_view text, std::string const& name)
{
    std::vector<csv_row> out;
    std::size_t line = 1, begun = 1;
    auto const refuse = [&](std::string const& why) {
        throw error("the table cannot be read: " + why,
                    name + ':' + std::to_string(begun),
                    "repair that line");
    };
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3); // as Excel writes it
    csv_row row;
    csv_cell cell;
    bool is_open = false, is_new = true;
    auto const end_row = [&] {
        if (row.empty() && cell.text.empty() && !cell.is_quoted) return;
        row.push_back(std::move(cell));
        cell = {};
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
            row.push_back(std::move(cell));
            cell = {};
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
