// attune/compile/source/embedded.ipp - reads the linker section that lists embedded kernels.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/embedded.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

// Defined by the linker; null when there is no such section.
extern "C" {
extern attune::detail::embedded_file const* const __start_attune_kernels
    __attribute__((weak, visibility("hidden")));
extern attune::detail::embedded_file const* const __stop_attune_kernels
    __attribute__((weak, visibility("hidden")));
}

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[nodiscard]] inline embedded_files embedded_kernels() noexcept
{
    return {&__start_attune_kernels, &__stop_attune_kernels};
}

ATTUNE_INLINE embedded_file const* embedded_from(std::string const& path)
{
    for (embedded_file const* const kernel : embedded_kernels())
        if (path == kernel->path) return kernel;
    return nullptr;
}

ATTUNE_INLINE embedded_file const& embedded_under(std::string const& name)
{
    embedded_files const all = embedded_kernels();
    if (embedded_file const* const kernel = all.find(name)) return *kernel;
    throw error("no kernel '" + name + "' is embedded in this program",
                all.names(),
                "embed it in CMakeLists.txt: attune_embed_kernel(<target> " + name + ")");
}

ATTUNE_INLINE bool is_embedded(char const* path, std::string_view text)
{
    for (embedded_file const* const kernel : embedded_kernels())
        if (std::string_view(kernel->path) == path && text == kernel->view()) return true;
    return false;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
