// attune/core/fixed_string.hpp - a string literal as a template argument.
// SPDX-License-Identifier: MIT-0
//
// The technique is P0732 (C++20 class types as template arguments)
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// A string of N - 1 characters that can be a template argument.
template <std::size_t N>
struct fixed_string {
    char characters[N]{};

    consteval fixed_string(char const (&text)[N])
    {
        for (std::size_t i = 0; i < N; ++i)
            characters[i] = text[i];
    }
    [[nodiscard]] constexpr std::string_view view() const noexcept { return {characters, N - 1}; }
};

namespace detail {

/// Returns true if `text` can be the name of a macro: a letter or '_', then letters, digits or '_'.
[[nodiscard]] constexpr bool is_identifier(std::string_view text) noexcept
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool const digit = c >= '0' && c <= '9';
        if (!letter && !(i > 0 && digit)) return false;
    }
    return !text.empty();
}

/// Returns true if every condition holds. A fold expression would fail: clang limits it to 256
/// operands.
[[nodiscard]] constexpr bool all(std::initializer_list<bool> conditions) noexcept
{
    for (bool const condition : conditions)
        if (!condition) return false;
    return true;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
