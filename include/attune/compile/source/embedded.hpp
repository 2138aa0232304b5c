// attune/compile/source/embedded.hpp - kernel files that are part of the program.
// SPDX-License-Identifier: MIT
//
// The linker gathers what stands in one section (ELF: __start_ and __stop_ symbols)
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// One embedded file.
struct embedded_kernel {
    char const* name; ///< as attune_embed_kernel was given it
    char const* path; ///< where it was when the program was built
    unsigned char const* text;
    std::size_t size; ///< bytes
};

namespace detail {

/// The kernel that was embedded from the file of this absolute path; null: there is none.
[[nodiscard]] embedded_kernel const* embedded_from(std::string const& path);

/// The kernel that was embedded under this name.
/// Errors   attune::error that lists the names there are
[[nodiscard]] embedded_kernel const& embedded_under(std::string const& name);

/// Whether the file of this absolute path was embedded with exactly this text.
[[nodiscard]] bool is_embedded(char const* path, std::string_view text);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

/// Lists a constant `embedded_kernel` among those of the program. For generated code.
#define ATTUNE_EMBED(kernel)                                                                       \
    __attribute__((section("attune_kernels"),                                                      \
                   used)) attune::embedded_kernel const* const kernel##_listed = &(kernel);

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/source/embedded.ipp>
#endif
