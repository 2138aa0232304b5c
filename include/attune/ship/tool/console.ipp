// attune/ship/tool/console.ipp - colours, columns, and names that are safe to print.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/tool/console.hpp>

#include <algorithm>
#include <cstddef>
#include <ostream>

namespace attune::inline ATTUNE_ABI::detail::tool {

ATTUNE_INLINE std::string painted(console const& on, colour as, std::string_view text)
{
    if (!on.has_colours) return std::string(text);
    char const* code = "1";
    switch (as) {
    case colour::bold:
        break;
    case colour::dim:
        code = "2";
        break;
    case colour::red:
        code = "31";
        break;
    case colour::green:
        code = "32";
        break;
    case colour::yellow:
        code = "33";
        break;
    }
    return std::string("\x1b[") + code + 'm' + std::string(text) + "\x1b[0m";
}

ATTUNE_INLINE std::string printable(std::string_view text)
{
    return escaped_text(text, escaping::one_line);
}

ATTUNE_INLINE std::string one_line(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        std::size_t const end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        if (line.empty()) continue;
        if (!out.empty()) out += out.back() == ':' ? " " : "; ";
        out += line;
    }
    return out;
}

/// Columns on a terminal: bytes of UTF-8 but those that continue a character.
[[nodiscard]] inline std::size_t width_of(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
    }));
}

ATTUNE_INLINE void text_table::write(console& to) const
{
    std::vector<std::size_t> widths;
    for (std::string const& name : head)
        widths.push_back(width_of(name) - (name.starts_with('>') ? 1 : 0));
    for (auto const& row : rows)
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i]));
    auto const line = [&](std::vector<std::string> const& cells, bool is_head) {
        std::string out;
        for (std::size_t i = 0; i < cells.size() && i < widths.size(); ++i) {
            bool const is_right = head[i].starts_with('>');
            std::string const text = is_head && is_right ? cells[i].substr(1) : cells[i];
            std::string const space(widths[i] - width_of(text), ' ');
            if (i > 0) out += "  ";
            out += is_right ? space + text : text + space;
        }
        out.resize(out.find_last_not_of(' ') + 1);
        to.out << (is_head ? painted(to, colour::dim, out) : out) << '\n';
    };
    line(head, true);
    for (auto const& row : rows)
        line(row, false);
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
