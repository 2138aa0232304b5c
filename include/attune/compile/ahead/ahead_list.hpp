// attune/compile/ahead/ahead_list.hpp - what the build put into the caller's program or shared library.
// SPDX-License-Identifier: MIT
// tested by compile/ahead/ahead.cpp
#pragma once

#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/core/embedded_file.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string_view>

// Defined by the linker for each program and shared library; null when there is no such section.
extern "C" {
extern attune::detail::function_ahead const* const __start_attune_ahead
    __attribute__((weak, visibility("hidden")));
extern attune::detail::function_ahead const* const __stop_attune_ahead
    __attribute__((weak, visibility("hidden")));
extern attune::detail::device_ahead const* const __start_attune_ptx
    __attribute__((weak, visibility("hidden")));
extern attune::detail::device_ahead const* const __stop_attune_ptx
    __attribute__((weak, visibility("hidden")));
extern attune::detail::embedded_file const* const __start_attune_kernels
    __attribute__((weak, visibility("hidden")));
extern attune::detail::embedded_file const* const __stop_attune_kernels
    __attribute__((weak, visibility("hidden")));
}

namespace attune::inline ATTUNE_ABI::detail {

/// The kernels that attune_add_kernel and attune_embed_kernel put into one program or shared
/// library.
struct linked_kernels {
    linked_entries<function_ahead> functions{};
    linked_entries<device_ahead> ptx{};
    embedded_files files{};
};

/// Of the program or shared library that contains the caller. Two shared libraries share a function
/// that is not hidden, and then both get the entries of one of them: each function between the
/// user's code and this one must be hidden, too.
[[nodiscard, gnu::visibility("hidden")]] inline linked_kernels linked_with_caller() noexcept
{
    return {{&__start_attune_ahead, &__stop_attune_ahead},
            {&__start_attune_ptx, &__stop_attune_ptx},
            {{&__start_attune_kernels, &__stop_attune_kernels}}};
}

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
