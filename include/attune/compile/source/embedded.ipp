// attune/compile/source/embedded.ipp - reads the linker section that lists embedded kernels.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/embedded.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

// Defined by the linker; null when there is no such section.
extern "C" {
extern attune::detail::embedded_kernel const* const __start_attune_kernels
    __attribute__((weak, visibility("hidden")));
extern attune::detail::embedded_kernel const* const __stop_attune_kernels
    __attribute__((weak, visibility("hidden")));
}

namespace attune::inline ATTUNE_ABI {

namespace detail {

ATTUNE_INLINE embedded_kernel const* embedded_from(std::string const& path)
{
    embedded_kernel const* const* const end = &__stop_attune_kernels;
    for (embedded_kernel const* const* at = &__start_attune_kernels; at != end; ++at)
        if (path == (*at)->path) return *at;
    return nullptr;
}

ATTUNE_INLINE embedded_kernel const& embedded_under(std::string const& name)
{
    std::string names;
    embedded_kernel const* const* const end = &__stop_attune_kernels;
    for (embedded_kernel const* const* at = &__start_attune_kernels; at != end; ++at) {
        embedded_kernel const& kernel = **at;
        if (name == kernel.name) return kernel;
        names += (names.empty() ? "" : ", ") + std::string(kernel.name);
    }
    throw error("no kernel '" + name + "' is embedded in this program",
                names.empty() ? "there is none" : "there are " + names,
                "embed it in CMakeLists.txt: attune_embed_kernel(<target> " + name + ")");
}

ATTUNE_INLINE bool is_embedded(char const* path, std::string_view text)
{
    embedded_kernel const* const* const end = &__stop_attune_kernels;
    for (embedded_kernel const* const* at = &__start_attune_kernels; at != end; ++at)
        if (std::string_view((*at)->path) == path &&
            text == std::string_view(reinterpret_cast<char const*>((*at)->text), (*at)->size))
            return true;
    return false;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
