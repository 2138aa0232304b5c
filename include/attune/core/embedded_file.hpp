// attune/core/embedded_file.hpp - a file that the build put into the program.
// SPDX-License-Identifier: MIT
//
// The linker collects entries of one section between its __start_ and __stop_ symbols (ELF).
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

struct embedded_file {
    char const* name; ///< as given to the CMake function that embeds it
    char const* path; ///< absolute path at build time
    unsigned char const* text;
    std::size_t size; ///< bytes

    [[nodiscard]] std::string_view view() const noexcept
    {
        return {reinterpret_cast<char const*>(text), size};
    }
};

/// The entries of one section of a program or shared library, as the linker lists them.
template <class Entry>
struct linked_entries {
    Entry const* const* first = nullptr;
    Entry const* const* last = nullptr; ///< one past the end

    [[nodiscard]] Entry const* const* begin() const noexcept { return first; }
    [[nodiscard]] Entry const* const* end() const noexcept { return last; }
};

struct embedded_files : linked_entries<embedded_file> {
    /// Returns the file of this name, or null if there is none.
    [[nodiscard]] embedded_file const* find(std::string_view name) const noexcept
    {
        for (embedded_file const* const one : *this)
            if (name == one->name) return one;
        return nullptr;
    }
    /// Returns a file of the same name from another path, or null if there is none. Two object
    /// libraries of one program may have such files.
    [[nodiscard]] embedded_file const* find_other(embedded_file const& of) const noexcept
    {
        for (embedded_file const* const one : *this)
            if (std::string_view(of.name) == one->name && std::string_view(of.path) != one->path)
                return one;
        return nullptr;
    }
    /// "there are a, b", "there is none"
    [[nodiscard]] std::string names() const
    {
        std::string out;
        for (embedded_file const* const one : *this)
            out += (out.empty() ? "there are " : ", ") + std::string(one->name);
        return out.empty() ? "there is none" : out;
    }
};

} // namespace attune::inline ATTUNE_ABI::detail

/// Adds a constant `embedded_file` to a list of the program: attune_kernels or attune_stores.
/// Generated code uses it. `retain` is needed because lld's --gc-sections drops data that only
/// __start_ symbols refer to.
#define ATTUNE_EMBED(list, file)                                                                   \
    __attribute__((section(#list), used,                                                           \
                   retain)) attune::detail::embedded_file const* const file##_listed = &(file);
