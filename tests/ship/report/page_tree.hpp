// tests/ship/report/page_tree.hpp - a page as a tree of elements, and what breaks its form.
// SPDX-License-Identifier: MIT
#pragma once

#include <cctype>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace support {

/// An element, or a piece of text: then `name` is empty.
struct page_element {
    std::string name{};
    std::map<std::string, std::string> attributes{};
    std::vector<page_element> children{};
    std::string words{};

    [[nodiscard]] std::string text() const
    {
        std::string out = words;
        for (page_element const& child : children)
            out += child.text();
        return out;
    }
    [[nodiscard]] bool is(std::string const& tag, std::string const& style) const
    {
        auto const at = attributes.find("class");
        std::string const all = " " + (at == attributes.end() ? "" : at->second) + " ";
        return name == tag && (style.empty() || all.find(" " + style + " ") != all.npos);
    }
    /// All elements below this one, in the order of the page.
    [[nodiscard]] std::vector<page_element const*> all(std::string const& tag,
                                                       std::string const& style = "") const
    {
        std::vector<page_element const*> out;
        for (page_element const& child : children) {
            if (child.is(tag, style)) out.push_back(&child);
            for (page_element const* const deeper : child.all(tag, style))
                out.push_back(deeper);
        }
        return out;
    }
    [[nodiscard]] page_element const& first(std::string const& tag,
                                            std::string const& style = "") const
    {
        auto const found = all(tag, style);
        if (found.empty()) throw std::runtime_error("no <" + tag + "> of class " + style);
        return *found.front();
    }
};

/// Reads HTML as a strict reader: every element is closed, every attribute has quotes.
class page_parser {
public:
    explicit page_parser(std::string_view html)
        : rest_(html)
    {
    }

    /// Errors  std::runtime_error: the first thing that is wrong
    [[nodiscard]] page_element parse()
    {
        page_element out{.name = "page"};
        read_into(out);
        if (!rest_.empty()) wrong("an end without its beginning");
        return out;
    }

private:
    [[noreturn]] void wrong(std::string const& what) const
    {
        throw std::runtime_error(what + " at: " + std::string(rest_.substr(0, 60)));
    }
    [[nodiscard]] std::string_view take_to(std::string_view end)
    {
        std::size_t const at = rest_.find(end);
        if (at == rest_.npos) wrong("no " + std::string(end));
        std::string_view const out = rest_.substr(0, at);
        rest_.remove_prefix(at + end.size());
        return out;
    }
    [[nodiscard]] std::string decoded(std::string_view text) const
    {
        static std::map<std::string, std::string, std::less<>> const entities{
            {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"#39", "'"}, {"nbsp", " "}};
        std::string out;
        while (!text.empty()) {
            if (text[0] == '<' || text[0] == '>') wrong("a bare " + std::string(1, text[0]));
            if (text[0] != '&') {
                out += text[0];
                text.remove_prefix(1);
                continue;
            }
            std::size_t const end = text.find(';');
            auto const entity = entities.find(text.substr(1, end == text.npos ? end : end - 1));
            if (entity == entities.end()) wrong("an unknown entity");
            out += entity->second;
            text.remove_prefix(end + 1);
        }
        return out;
    }

    void read_into(page_element& parent)
    {
        while (!rest_.empty()) {
            std::size_t const at = rest_.find('<');
            if (at != 0) {
                parent.children.push_back({.words = decoded(rest_.substr(0, at))});
                rest_.remove_prefix(at == rest_.npos ? rest_.size() : at);
            } else if (rest_.starts_with("<!")) {
                static_cast<void>(take_to(">"));
            } else if (rest_.starts_with("</")) {
                if (parent.name == "page") return;
                if (!rest_.starts_with("</" + parent.name + ">"))
                    wrong("<" + parent.name + "> ends as");
                static_cast<void>(take_to(">"));
                return;
            } else
                read_element(parent);
        }
        if (parent.name != "page") wrong("<" + parent.name + "> has no end");
    }

    void read_element(page_element& parent)
    {
        rest_.remove_prefix(1);
        page_element out{.name = name()};
        while (true) {
            while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0])))
                rest_.remove_prefix(1);
            if (rest_.starts_with("/>") || rest_.starts_with(">")) break;
            std::string const key = name();
            if (!rest_.starts_with("=\"")) wrong("an attribute without quotes");
            rest_.remove_prefix(2);
            std::string_view value = take_to("\"");
            // A browser writes > in an attribute as it is.
            std::string escaped;
            for (char const c : value)
                c == '>' ? escaped += "&gt;" : escaped += c;
            if (!out.attributes.emplace(key, decoded(escaped)).second) wrong(key + " twice");
        }
        static std::set<std::string> const hollow{"meta", "link", "input", "br"};
        bool const is_over = take_to(">") == "/" || hollow.count(out.name) > 0;
        if (out.name == "script" || out.name == "style")
            out.children.push_back({.words = std::string(take_to("</" + out.name + ">"))});
        else if (!is_over)
            read_into(out);
        parent.children.push_back(std::move(out));
    }
    [[nodiscard]] std::string name()
    {
        std::size_t n = 0;
        while (n < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[n])) ||
                                    rest_[n] == '-' || rest_[n] == ':'))
            ++n;
        if (n == 0) wrong("no name");
        std::string const out(rest_.substr(0, n));
        rest_.remove_prefix(n);
        return out;
    }

    std::string_view rest_;
};

[[nodiscard]] inline page_element parse_page(std::string_view html)
{
    return page_parser(html).parse();
}

/// The texts of a table's body, by row and cell; a cell over several columns counts once.
[[nodiscard]] inline std::vector<std::vector<std::string>> cells_of(page_element const& table)
{
    std::vector<std::vector<std::string>> out;
    for (page_element const* const row : table.first("tbody").all("tr")) {
        out.emplace_back();
        for (page_element const& cell : row->children)
            if (cell.name == "td" || cell.name == "th") out.back().push_back(cell.text());
    }
    return out;
}

} // namespace support
