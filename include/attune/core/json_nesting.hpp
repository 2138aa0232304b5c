// attune/core/json_nesting.hpp - JSON whose brackets lie too deep inside each other.
// SPDX-License-Identifier: MIT
// tested by remember/files/t4.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// A copy of a JSON value needs stack for each bracket around its parts.
inline constexpr std::size_t most_nested_brackets = 1000;

/// The first bracket with most_nested_brackets around it; the size of the text if there is none.
/// Cost  linear
[[nodiscard]] constexpr std::size_t place_of_deep_bracket(std::string_view text) noexcept
{
    std::size_t depth = 0;
    bool is_inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (c == '"')
            is_inside = !is_inside;
        else if (is_inside)
            i += c == '\\' ? 1 : 0;
        else if ((c == '[' || c == '{') && depth++ == most_nested_brackets)
            return i;
        else if ((c == ']' || c == '}') && depth > 0)
            --depth;
    }
    return text.size();
}

} // namespace attune::inline ATTUNE_ABI::detail
