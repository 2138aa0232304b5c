// attune/compile/source/embedded.hpp - kernel files that are part of the program.
// SPDX-License-Identifier: MIT
//
// The linker gathers what stands in one section (ELF: __start_ and __stop_ symbols)
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// One embedded file.
struct embedded_kernel {
    char const* name; ///< as attune_embed_kernel was given it
    char const* path; ///< where it was when the program was built
    unsigned char const* text;
    std::size_t size; ///< bytes
};

/// The kernel that attune_embed_kernel(target file) has put into this program. Its path is that of
/// the build, so messages point at the file; what it includes by quotes is looked up there.
///
/// @param name  as in the call of attune_embed_kernel
/// Errors   attune::error that lists the names there are. Those of a shared library are seen by
///          code whose attune::tune is linked into the same library.
[[nodiscard]] kernel_source embedded_source(std::string const& name);

} // namespace attune::inline ATTUNE_ABI

/// Lists a constant `embedded_kernel` among those of the program. For generated code.
#define ATTUNE_EMBED(kernel)                                                                       \
    __attribute__((section("attune_kernels"),                                                      \
                   used)) attune::embedded_kernel const* const kernel##_listed = &(kernel);
