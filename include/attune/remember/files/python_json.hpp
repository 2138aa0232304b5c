// attune/remember/files/python_json.hpp - JSON of Python's module, and the places of errors in JSON.
// SPDX-License-Identifier: MIT
// tested by remember/files/t4.cpp
#pragma once

#include <attune/core/json_nesting.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// `text`, in which each NaN, Infinity, -Infinity and +Infinity outside of texts becomes a text of
/// that name.
/// @param quotes  takes the places of the added quotation marks in the result
/// Cost  linear
[[nodiscard]] inline std::string with_quoted_numbers(std::string_view text,
                                                     std::vector<std::size_t>& quotes)
{
    std::string out;
    auto const add_quote = [&] {
        quotes.push_back(out.size());
        out += '"';
    };
    bool is_inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_inside && text[i] == '\\' && i + 1 < text.size()) {
            out += text[i++];
        } else if (text[i] == '"') {
            is_inside = !is_inside;
        } else if (!is_inside) {
            std::string_view const rest = text.substr(i);
            bool is_found = false;
            for (std::string_view const word : {"NaN", "Infinity", "-Infinity", "+Infinity"}) {
                if (!rest.starts_with(word)) continue;
                add_quote();
                out += word;
                add_quote();
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

/// "line 2, column 7, at 'x'": the text at this place, up to the next separator.
[[nodiscard]] inline std::string place_in(std::string_view text, std::size_t at)
{
    at = std::min(at, text.size());
    std::string_view const before = text.substr(0, at);
    std::size_t const line_begin = before.find_last_of('\n') + 1; // npos + 1 is 0
    std::string out = "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) +
                      ", column " + std::to_string(at - line_begin + 1);
    std::string_view const rest = text.substr(at);
    bool const is_bracket = rest.starts_with('{') || rest.starts_with('[');
    std::string_view const found = rest.substr(
        0, is_bracket ? 1 : std::min(rest.find_first_of(" \t\r\n,:}]"), std::size_t{20}));
    if (rest.empty()) return out + ", where it ends";
    return out + ", at '" + std::string(found.empty() ? rest.substr(0, 1) : found) + '\'';
}

/// The first byte from `at` on that is no blank.
[[nodiscard]] inline std::size_t behind_blanks(std::string_view text, std::size_t at)
{
    return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

/// The end of the JSON value that begins at `at`, or of the text.
[[nodiscard]] inline std::size_t end_of_value(std::string_view text, std::size_t at)
{
    std::size_t depth = 0;
    for (bool is_inside = false; at < text.size(); ++at) {
        char const c = text[at];
        if (is_inside) {
            if (c == '\\') ++at;
            is_inside = c != '"';
            if (!is_inside && depth == 0) return at + 1;
        } else if (c == '"') {
            is_inside = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (depth == 0 &&
                   std::string_view(",:}] \t\r\n").find(c) != std::string_view::npos) {
            return at;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return at + 1;
        }
    }
    return text.size();
}

/// The offset of the value at the end of a way; if the way leads nowhere, of the last value on it.
/// @param text  JSON; it may have Python's words for numbers, and its end may be missing
/// @param way   from the outermost value on: names of members, and indices in lists as digits
/// Cost         linear
[[nodiscard]] inline std::size_t offset_of_value(std::string_view text,
                                                 std::vector<std::string> const& way)
{
    std::size_t at = behind_blanks(text, 0);
    for (std::string const& step : way) {
        if (at == text.size() || (text[at] != '{' && text[at] != '[')) return at;
        bool const is_object = text[at] == '{';
        std::size_t next = at + 1;
        for (std::size_t index = 0;; ++index) {
            next = behind_blanks(text, next);
            if (next == text.size() || text[next] == '}' || text[next] == ']') return at;
            bool is_it = !is_object && std::to_string(index) == step;
            if (is_object) {
                std::size_t const end = end_of_value(text, next);
                is_it = text.substr(next, end - next) == '"' + step + '"';
                next = behind_blanks(text, std::min(behind_blanks(text, end) + 1, text.size()));
            }
            if (is_it) break;
            next = behind_blanks(text, end_of_value(text, next));
            if (next < text.size() && text[next] == ',') ++next;
        }
        at = next;
    }
    return at;
}

/// The offset of the first number that no double can hold.
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

/// A name that occurs twice in one object: its second place in the text.
/// @pre  `text` is JSON, perhaps with Python's words for numbers
[[nodiscard]] inline std::optional<std::string_view> name_twice(std::string_view text)
{
    struct level {
        bool is_object = false;
        std::set<std::string_view> names{};
    };
    std::vector<level> open;
    char before = ' '; // the last sign
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (c == '"') {
            std::size_t const end = end_of_value(text, i);
            if (end < i + 2 || text[end - 1] != '"') return std::nullopt; // the text is cut
            std::string_view const word = text.substr(i + 1, end - i - 2);
            bool const is_name =
                !open.empty() && open.back().is_object && (before == '{' || before == ',');
            if (is_name && !open.back().names.insert(word).second) return word;
            i = end - 1;
        } else if (c == '{' || c == '[') {
            open.push_back({c == '{'});
        } else if ((c == '}' || c == ']') && !open.empty()) {
            open.pop_back();
        }
        if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) before = c;
    }
    return std::nullopt;
}

/// "an object has the name A twice, line 2, column 7, at '"A"'"; empty if none has.
/// @pre  as name_twice()
[[nodiscard]] inline std::string problem_of_names(std::string_view text)
{
    auto const twice = name_twice(text);
    if (!twice) return {};
    auto const at = static_cast<std::size_t>(twice->data() - text.data()) - 1;
    return "an object has the name " + std::string(*twice) + " twice, " + place_in(text, at);
}

/// JSON of another program.
template <class Json>
struct foreign_json {
    Json value = Json::value_t::discarded; ///< Python's words for numbers are texts
    std::string problem{};                 ///< where the text stops to be JSON; empty: nowhere
    bool is_cut = false;                   ///< the text ends inside of a value
};

/// Reads JSON of another program.
template <class Json>
[[nodiscard]] foreign_json<Json> read_foreign_json(std::string_view text)
{
    foreign_json<Json> out;
    if (std::size_t const at = place_of_deep_bracket(text); at < text.size()) {
        out.problem = place_in(text, at) + ", with " + std::to_string(most_nested_brackets) +
                      " brackets around it";
        return out;
    }
    std::vector<std::size_t> quotes;
    std::string const quoted = with_quoted_numbers(text, quotes);
    try {
        out.value = Json::parse(quoted);
    } catch (typename Json::parse_error const& e) {
        // The byte is the last one read. The parser may have read a word or number to its end.
        std::size_t at = e.byte > 0 ? e.byte - 1 : 0;
        out.is_cut = at >= quoted.size();
        at -= static_cast<std::size_t>(std::ranges::lower_bound(quotes, at) - quotes.begin());
        while (at > 0 && at < text.size() &&
               text.substr(at - 1, 1).find_first_of(" \t\r\n,:{}[]\"") == text.npos)
            --at;
        out.problem = place_in(text, at);
    } catch (typename Json::out_of_range const&) {
        out.problem = place_in(text, place_of_large_number(text)) + ", a number that is too large";
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
