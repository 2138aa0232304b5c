// attune/compile/source/embedded.hpp - kernel files that are part of the program.
// SPDX-License-Identifier: MIT
//
// The linker collects entries of one section between its __start_ and __stop_ symbols (ELF).
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// One embedded file.
struct embedded_kernel {
    char const* name; ///< as given to attune_embed_kernel
    char const* path; ///< absolute path at build time
    unsigned char const* text;
    std::size_t size; ///< bytes
};

/// The kernel that was embedded from the file with this absolute path; null when there is none.
[[nodiscard]] embedded_kernel const* embedded_from(std::string const& path);

/// The kernel that was embedded with this name.
/// Errors   attune::error that lists the embedded names
[[nodiscard]] embedded_kernel const& embedded_under(std::string const& name);

/// True when the file with this absolute path was embedded with exactly this text.
[[nodiscard]] bool is_embedded(char const* path, std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

/// Adds a constant `embedded_kernel` to the program's list. For generated code.
#define ATTUNE_EMBED(kernel)                                                                       \
    __attribute__((section("attune_kernels"),                                                      \
                   used)) attune::detail::embedded_kernel const* const kernel##_listed =           \
        &(kernel);

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/source/embedded.ipp>
#endif
