// attune/ship/tool/command.ipp - sorts the words of a command line, and writes text safe for a terminal.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/tool/command.hpp>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <utility>

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

/// Columns on a terminal: bytes of UTF-8 without those that continue a character.
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

// --- words -------------------------------------------------------------------------------------

ATTUNE_INLINE std::optional<std::string> words::value(std::string_view option) const
{
    auto const at = values_.find(option);
    if (at == values_.end()) return std::nullopt;
    return at->second.back();
}

ATTUNE_INLINE std::vector<std::string> words::values(std::string_view option) const
{
    auto const at = values_.find(option);
    return at == values_.end() ? std::vector<std::string>() : at->second;
}

ATTUNE_INLINE std::uint64_t words::number(std::string_view option, std::uint64_t otherwise) const
{
    auto const text = value(option);
    if (!text) return otherwise;
    auto const out = parse_number<std::uint64_t>(*text);
    if (!out) throw words_error(std::string(option) + " takes a whole number, not '" + *text + "'");
    return *out;
}

ATTUNE_INLINE double words::real(std::string_view option, double otherwise) const
{
    auto const text = value(option);
    if (!text) return otherwise;
    auto const out = real_in_text(*text);
    if (!out || !(*out >= 0))
        throw words_error(std::string(option) + " takes a number that is not negative, not '" +
                          *text + "'");
    return *out;
}

ATTUNE_INLINE void words::add(std::string_view option, std::string value)
{
    values_[std::string(option)].push_back(std::move(value));
}

ATTUNE_INLINE std::string nearest_word(std::string_view meant,
                                       std::vector<std::string_view> const& known)
{
    // Levenshtein's distance.
    auto const distance = [&](std::string_view other) {
        std::vector<std::size_t> row(other.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 0; i < meant.size(); ++i) {
            std::size_t before = std::exchange(row[0], i + 1);
            for (std::size_t j = 0; j < other.size(); ++j) {
                std::size_t const replaced = before + (meant[i] == other[j] ? 0 : 1);
                before = row[j + 1];
                row[j + 1] = std::min({replaced, row[j] + 1, before + 1});
            }
        }
        return row.back();
    };
    std::string_view best;
    std::size_t least = std::max<std::size_t>(2, meant.size() / 3) + 1;
    for (std::string_view const one : known)
        if (std::size_t const d = distance(one); d < least) {
            least = d;
            best = one;
        }
    return std::string(best);
}

ATTUNE_INLINE words sort_words(command const& of, std::vector<std::string> const& given)
{
    words out;
    auto const named = [&](std::string_view word) -> option const* {
        for (option const& one : of.options)
            if (word == one.name || (word.size() == 2 && word[1] == one.letter && word[1] != '\0'))
                return &one;
        return nullptr;
    };
    auto const begin = [&](std::string_view word) {
        return std::string(of.name) + ": " + std::string(word);
    };
    for (std::size_t i = 0; i < given.size(); ++i) {
        std::string const& word = given[i];
        if (word == "--") {
            if (!of.takes_program) throw words_error(begin("takes nothing behind --"));
            out.behind.assign(given.begin() + static_cast<std::ptrdiff_t>(i) + 1, given.end());
            break;
        }
        if (word.size() < 2 || word[0] != '-') {
            out.plain.push_back(word);
            continue;
        }
        std::size_t const equals = word.starts_with("--") ? word.find('=') : word.npos;
        std::string const name = word.substr(0, equals);
        option const* const one = named(name);
        if (one == nullptr) {
            std::vector<std::string_view> all;
            for (option const& known : of.options)
                all.push_back(known.name);
            std::string const near = nearest_word(name, all);
            throw words_error(begin("there is no option ") + name +
                              (near.empty() ? "" : "; did you mean " + near + "?"));
        }
        if (one->value.empty()) {
            if (equals != word.npos) throw words_error(begin(one->name) + " takes no value");
            out.add(one->name, "");
        } else if (equals != word.npos) {
            out.add(one->name, word.substr(equals + 1));
        } else if (i + 1 < given.size()) {
            out.add(one->name, given[++i]);
        } else {
            throw words_error(begin(one->name) + " needs a value: " + std::string(one->name) + ' ' +
                              std::string(one->value));
        }
    }
    if (out.plain.size() < of.least)
        throw words_error(begin("something is missing; it is used as: attune ") +
                          std::string(of.name) + ' ' + std::string(of.usage));
    if (out.plain.size() > of.most)
        throw words_error(begin("'") + out.plain[of.most] +
                          "' is too much; it is used as: attune " + std::string(of.name) + ' ' +
                          std::string(of.usage));
    return out;
}

// --- help --------------------------------------------------------------------------------------

ATTUNE_INLINE std::string help_of(command const& of)
{
    std::string out = "attune " + std::string(of.name) + ' ' + std::string(of.usage) + "\n\n" +
                      std::string(of.what) + '\n';
    std::vector<std::string> names;
    std::size_t width = 0;
    for (option const& one : of.options) {
        std::string name = one.letter == '\0' ? "" : std::string{'-', one.letter, ',', ' '};
        name += one.name;
        if (!one.value.empty()) name += ' ' + std::string(one.value);
        width = std::max(width, name.size());
        names.push_back(std::move(name));
    }
    if (!names.empty()) out += '\n';
    for (std::size_t i = 0; i < names.size(); ++i)
        out += "  " + names[i] + std::string(width - names[i].size() + 2, ' ') +
               std::string(of.options[i].what) + '\n';
    if (!of.more.empty()) out += '\n' + std::string(of.more);
    return out;
}

ATTUNE_INLINE std::string sentence_of_exception(std::string_view command)
{
    std::string out = "attune: " + std::string(command) + (command.empty() ? "" : ": ");
    try {
        throw;
    } catch (error const& e) {
        return out + one_line(sentence_of(e) + (e.next().empty() ? "" : "; " + e.next()));
    } catch (std::bad_alloc const&) {
        return out + "there is not enough memory";
    } catch (...) {
        return out + one_line(text_of_exception());
    }
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
