// attune/compile/source/compile_request.ipp - flags, names and messages of a request.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/detail/file_text.hpp>
#include <attune/compile/source/compile_request.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

ATTUNE_INLINE std::string signature_text(compile_request const& v)
{
    std::string text = v.result + '(';
    for (std::size_t i = 0; i < v.arguments.size(); ++i)
        text += (i == 0 ? "" : ", ") + v.arguments[i];
    return text + ')';
}

ATTUNE_INLINE std::vector<std::pair<std::string, std::string>>
macros_defined(compile_request const& v)
{
    std::vector<std::pair<std::string, std::string>> out;
    for (macro_definition const& macro : v.macros) {
        if (!macro.is_own_name) out.emplace_back(macro.name, macro.value);
        out.emplace_back(std::string(value_prefix) + macro.name, macro.value);
    }
    return out;
}

} // namespace detail

ATTUNE_INLINE std::vector<std::string> macro_flags(compile_request const& v)
{
    std::vector<std::string> flags;
    for (auto const& [name, value] : detail::macros_defined(v))
        flags.push_back("-D" + name + '=' + value);
    return flags;
}

namespace detail {

ATTUNE_INLINE std::string file_name_of(compile_request const& v)
{
    std::string name = v.function;
    for (macro_definition const& macro : v.macros)
        name += '.' + macro.name + '=' + macro.value;
    std::string out;
    for (char const c : name) {
        bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') ||
                           std::string_view("._=-+,").find(c) != std::string_view::npos;
        if (c != ' ') out += plain ? c : '_';
    }
    return out.substr(0, 150);
}

ATTUNE_INLINE std::vector<std::string> split_flags(std::string_view text)
{
    std::vector<std::string> flags;
    for (;;) {
        std::size_t const begin = text.find_first_not_of(" \t\n");
        if (begin == std::string_view::npos) return flags;
        text.remove_prefix(begin);
        std::size_t const end = text.find_first_of(" \t\n");
        flags.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return flags;
        text.remove_prefix(end);
    }
}

/// The words of a response file.
[[nodiscard]] inline std::vector<std::string> words_of_response(std::string_view text)
{
    std::vector<std::string> out;
    std::string word;
    bool is_open = false;
    char quote = '\0';
    for (std::size_t i = 0; i <= text.size(); ++i) {
        char const c = i < text.size() ? text[i] : ' ';
        bool const is_blank = std::string_view(" \t\n\r\f\v").find(c) != std::string_view::npos;
        if (i == text.size() || (is_blank && quote == '\0')) {
            if (is_open) out.push_back(std::move(word));
            word.clear();
            is_open = false;
            continue;
        }
        is_open = true;
        if (c == '\\' && i + 1 < text.size())
            word += text[++i];
        else if (quote != '\0' ? c == quote : c == '"' || c == '\'')
            quote = quote != '\0' ? '\0' : c;
        else
            word += c;
    }
    return out;
}

/// @param depth  of files in files; one that names itself ends there
inline void expand_flag(std::string const& flag, int depth, std::vector<std::string>& out)
{
    constexpr int deepest = 16;
    std::optional<std::string> const text =
        flag.starts_with('@') && depth < deepest ? file_text(flag.substr(1)) : std::nullopt;
    if (!text) return out.push_back(flag);
    for (std::string const& word : words_of_response(*text))
        expand_flag(word, depth + 1, out);
}

ATTUNE_INLINE std::vector<std::string> expanded_flags(std::vector<std::string> const& flags)
{
    std::vector<std::string> out;
    for (std::string const& flag : flags)
        expand_flag(flag, 0, out);
    return out;
}

ATTUNE_INLINE std::string joined(std::vector<std::string> const& parts)
{
    std::string text;
    for (std::string const& part : parts)
        text += ' ' + part;
    return text;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
