// attune/compile/ahead.ipp - walks the section in which the linker gathered the functions.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead.hpp>
#include <attune/compile/ahead_unit.hpp>
#include <attune/compile/embedded.ipp>
#include <attune/core/version.hpp>

#include <optional>
#include <string_view>

// Made by the linker, and null where there is no such section.
extern "C" {
extern attune::function_ahead const* const __start_attune_ahead
    __attribute__((weak, visibility("hidden")));
extern attune::function_ahead const* const __stop_attune_ahead
    __attribute__((weak, visibility("hidden")));
}

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// "void(std::span<const float>, int)" of what function_type_text() gave.
[[nodiscard]] inline std::string_view written_type(std::string_view text)
{
    std::size_t const begin = text.find("F = ");
    std::size_t const end = text.rfind(']');
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + 4)
        return text;
    return text.substr(begin + 4, end - begin - 4);
}

[[nodiscard]] inline bool is_embedded(char const* path, std::string_view text)
{
    embedded_kernel const* const* const end = &__stop_attune_kernels;
    for (embedded_kernel const* const* at = &__start_attune_kernels; at != end; ++at)
        if (std::string_view((*at)->path) == path &&
            text == std::string_view(reinterpret_cast<char const*>((*at)->text), (*at)->size))
            return true;
    return false;
}

/// Whether `flags`, each followed by a line feed, has exactly this one.
[[nodiscard]] inline bool has_flag(std::string_view flags, std::string_view wanted)
{
    while (!flags.empty()) {
        std::size_t const end = flags.find('\n');
        if (flags.substr(0, end) == wanted) return true;
        if (end == std::string_view::npos) break;
        flags.remove_prefix(end + 1);
    }
    return false;
}

/// The first flag of the program's that would have changed the text, and was not given.
[[nodiscard]] inline std::optional<std::string> missing_flag(wanted_ahead const& wanted,
                                                             std::string_view flags)
{
    for (std::string const& flag : wanted.source.flags) {
        bool const changes_text = flag.starts_with("-D") || flag.starts_with("-U") ||
                                  flag == "-include" || flag == "-imacros";
        if (changes_text && !has_flag(flags, flag)) return flag;
    }
    return std::nullopt;
}

/// The first macro that FLAGS define to another value than the program's default.
[[nodiscard]] inline std::optional<std::string> other_value(wanted_ahead const& wanted,
                                                            std::string_view flags)
{
    for (std::string const& macro : wanted.macros) {
        std::string const start = "-D" + macro.substr(0, macro.find('=') + 1);
        bool const is_defined =
            flags.starts_with(start) || flags.find('\n' + start) != std::string_view::npos;
        if (is_defined && !has_flag(flags, "-D" + macro)) return macro;
    }
    return std::nullopt;
}

} // namespace detail

found_ahead find_ahead(wanted_ahead const& wanted)
{
    found_ahead out;
    std::string_view const type = detail::written_type(wanted.type);
    function_ahead const* const* const end = &__stop_attune_ahead;
    for (function_ahead const* const* at = &__start_attune_ahead; at != end; ++at) {
        function_ahead const& f = **at;
        if (wanted.function != f.name || !detail::is_embedded(f.path, wanted.source.text)) continue;
        std::string const subject = "the function " + wanted.function +
                                    " that was compiled with the program from " + f.path;
        if (detail::written_type(f.type) != type) {
            out.reason = subject + " is a " + std::string(detail::written_type(f.type)) +
                         ", and the kernel is declared as " + std::string(type);
        } else if (auto const flag = detail::missing_flag(wanted, f.flags)) {
            out.reason = subject + " was compiled without " + *flag +
                         ": give attune_add_kernel the FLAGS of the kernel's source";
        } else if (auto const macro = detail::other_value(wanted, f.flags)) {
            out.reason = subject + " was compiled with another value than the default " + *macro;
        } else {
            return {f.address(), {}};
        }
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
