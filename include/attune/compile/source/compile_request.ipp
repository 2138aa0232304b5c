// attune/compile/source/compile_request.ipp - flags, names and messages of a request.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/compile_request.hpp>
#include <attune/core/version.hpp>

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

ATTUNE_INLINE std::string joined(std::vector<std::string> const& parts)
{
    std::string text;
    for (std::string const& part : parts)
        text += ' ' + part;
    return text;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
