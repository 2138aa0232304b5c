// attune/off/find_default.hpp - the function that attune_add_kernel compiled for a kernel, by name, type and file.
// SPDX-License-Identifier: MIT
// tested by off/tuned.cpp
//
// compile/ahead finds it by the kernel's text as well; here no kernel file is read.
#pragma once

#include <attune/compile/ahead/ahead_list.hpp>
#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/core/embedded_file.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace attune::off::inline ATTUNE_ABI::detail {

struct wanted_default {
    std::string_view name; ///< as attune::kernel has it: "sgemm", "widen<WIDTH>"
    attune::detail::function_type type{};
    std::string_view path; ///< of the kernel's source; its file name at least must be equal
    attune::detail::linked_entries<attune::detail::function_ahead>
        linked{}; ///< where the kernel is declared
};

/// How many names at the end of two paths are equal.
[[nodiscard]] constexpr std::size_t equal_names(std::string_view one, std::string_view other)
{
    std::size_t count = 0;
    while (!one.empty() && !other.empty()) {
        std::size_t const i = one.rfind('/') + 1;
        std::size_t const j = other.rfind('/') + 1;
        if (one.substr(i) != other.substr(j)) break;
        ++count;
        one = one.substr(0, i > 0 ? i - 1 : 0);
        other = other.substr(0, j > 0 ? j - 1 : 0);
    }
    return count;
}

/// The function whose file fits best: in wanted.linked, else in the caller's program or library.
/// Errors   attune::error: there is none, or two fit equally
[[nodiscard]] inline void* find_default(wanted_default const& wanted)
{
    attune::detail::function_ahead const* best = nullptr;
    std::size_t most = 0;
    bool is_one_of_two = false;
    std::string other; // why one of this name does not serve
    for (auto const& linked : {wanted.linked, attune::detail::linked_with_caller().functions}) {
        for (attune::detail::function_ahead const* const each : linked) {
            attune::detail::function_ahead const& one = *each;
            if (wanted.name != one.name) continue;
            if (!attune::detail::same_type(one.type, wanted.type)) {
                other = std::string("that of ") + one.path + " is a " +
                        std::string(attune::detail::written_type(one.type.text)) +
                        ", and the kernel is declared as " +
                        std::string(attune::detail::written_type(wanted.type.text));
                continue;
            }
            if (best != nullptr && std::string_view(best->path) == one.path &&
                std::string_view(best->flags) == one.flags)
                continue; // one file, in two object libraries of the program
            std::size_t const fits = equal_names(one.path, wanted.path);
            if (fits == 0) other = std::string("there is one of another file, ") + one.path;
            if (fits == most) is_one_of_two = true;
            if (fits <= most) continue;
            best = &one;
            most = fits;
            is_one_of_two = false;
        }
        if (best != nullptr) break;
    }
    std::string const what(wanted.name);
    if (best == nullptr)
        throw error("ATTUNE_OFF: the program contains no default of a kernel",
                    what + (other.empty() ? "" : ": " + other),
                    "add attune_add_kernel(<target> <file>) to CMakeLists.txt, or call "
                    "kernel.fallback(f)");
    if (is_one_of_two)
        throw error("ATTUNE_OFF: two kernel files of the program have one name",
                    what + " of " + std::string(wanted.path),
                    "name the folder too, or call kernel.fallback(f)");
    return best->address();
}

} // namespace attune::off::inline ATTUNE_ABI::detail
