// attune/compile/ahead/ahead_list.hpp - the list of functions in this program, and when their types are equal.
// SPDX-License-Identifier: MIT
// tested by compile/ahead/ahead.cpp
#pragma once

#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string_view>

// Defined by the linker; null when there is no such section.
extern "C" {
extern attune::detail::function_ahead const* const __start_attune_ahead
    __attribute__((weak, visibility("hidden")));
extern attune::detail::function_ahead const* const __stop_attune_ahead
    __attribute__((weak, visibility("hidden")));
}

namespace attune::inline ATTUNE_ABI::detail {

/// The type in a function_type's text: "void(std::span<const float>, int)".
[[nodiscard]] inline std::string_view written_type(std::string_view text)
{
    std::size_t const begin = text.find("F = ");
    std::size_t const end = text.rfind(']');
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + 4)
        return text;
    return text.substr(begin + 4, end - begin - 4);
}

/// Compares texts too, because each shared library has its own tag of one type.
[[nodiscard]] inline bool same_type(function_type const& one, function_type const& other)
{
    return one.tag != nullptr && other.tag != nullptr &&
           (one.tag == other.tag || written_type(one.text) == written_type(other.text));
}

} // namespace attune::inline ATTUNE_ABI::detail
