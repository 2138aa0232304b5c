// attune/declare/nest/outline_rules.hpp - what names, extents and the order of statements must be.
// SPDX-License-Identifier: MIT
// tested by declare/nest/describe.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/outline_rows.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Words that cannot name a variable in C++, and those that code of ours needs.
inline constexpr std::string_view reserved_words[] = {
    "alignas",   "alignof",      "and",           "and_eq",
    "asm",       "auto",         "bitand",        "bitor",
    "bool",      "break",        "case",          "catch",
    "char",      "char8_t",      "char16_t",      "char32_t",
    "class",     "co_await",     "co_return",     "co_yield",
    "compl",     "concept",      "const",         "const_cast",
    "consteval", "constexpr",    "constinit",     "continue",
    "decltype",  "default",      "delete",        "do",
    "double",    "dynamic_cast", "else",          "enum",
    "explicit",  "export",       "extern",        "false",
    "float",     "for",          "friend",        "goto",
    "if",        "inline",       "int",           "long",
    "main",      "mutable",      "namespace",     "new",
    "noexcept",  "not",          "not_eq",        "nullptr",
    "operator",  "or",           "or_eq",         "private",
    "protected", "public",       "register",      "reinterpret_cast",
    "requires",  "return",       "short",         "signed",
    "sizeof",    "static",       "static_assert", "static_cast",
    "std",       "attune",       "struct",        "switch",
    "template",  "this",         "thread_local",  "throw",
    "true",      "try",          "typedef",       "typeid",
    "typename",  "union",        "unsigned",      "using",
    "virtual",   "void",         "volatile",      "wchar_t",
    "while",     "xor",          "xor_eq"};

[[nodiscard]] constexpr bool is_reserved_word(std::string_view name)
{
    if (name.starts_with('_') || name.find("__") != name.npos) return true;
    if (name.size() < 2) return false; // none of them
    for (std::string_view const word : reserved_words)
        if (word.size() == name.size() && word[0] == name[0] && word == name) return true;
    return false;
}

/// Each function returns the first fault that it finds.
[[nodiscard]] constexpr nest_fault fault_of_names(std::span<std::string_view const> names)
{
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (is_reserved_word(names[i])) return nest_fault::reserved_name;
        for (std::size_t k = 0; k < i; ++k)
            if (names[i] == names[k]) return nest_fault::same_name;
    }
    return nest_fault::none;
}

/// The extents of axes: their own, else those of targets, else those of what is read.
[[nodiscard]] constexpr nest_fault deduce_extents(std::span<outline_axis> axes,
                                                  std::span<outline_array const> arrays,
                                                  std::span<outline_use const> uses)
{
    for (bool const targets : {true, false})
        for (outline_use const& use : uses)
            for (std::size_t d = 0; use.is_target == targets && d < arrays[use.array].rank; ++d) {
                if (use.axis[d] == outline_use::none) continue;
                outline_axis& at = axes[use.axis[d]];
                outline_extent const extent = arrays[use.array].extents[d];
                if (!at.extent.is_known()) at.extent = extent;
                if (targets) {
                    at.is_of_target = true;
                    if (!(at.extent == extent))
                        return at.has_own_extent ? nest_fault::target_not_whole
                                                 : nest_fault::extents_differ;
                } else if (!at.is_of_target && !at.has_own_extent && !(at.extent == extent))
                    return nest_fault::extents_differ;
            }
    for (outline_axis const& axis : axes)
        if (!axis.extent.is_known()) return nest_fault::unknown_extent;
    return nest_fault::none;
}

[[nodiscard]] constexpr nest_fault fault_of_order(std::span<outline_array const> arrays)
{
    bool has_result = false;
    for (outline_array const& of : arrays) {
        bool const is_written = of.written_by != outline_array::never;
        bool const is_read = of.first_read != outline_array::never;
        has_result = has_result || (is_written && !of.is_temporary);
        if (of.is_temporary &&
            (!is_written || of.continues || (is_read && of.first_read <= of.written_by)))
            return nest_fault::read_before_written;
        if (is_written && is_read && of.first_read <= of.written_by)
            return nest_fault::read_and_written;
    }
    return has_result ? nest_fault::none : nest_fault::no_result;
}

} // namespace attune::inline ATTUNE_ABI::detail
