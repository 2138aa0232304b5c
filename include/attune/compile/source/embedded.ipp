// attune/compile/source/embedded.ipp - walks the section in which the linker gathered the kernels.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/embedded.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

// Made by the linker, and null where there is no such section.
extern "C" {
extern attune::embedded_kernel const* const __start_attune_kernels
    __attribute__((weak, visibility("hidden")));
extern attune::embedded_kernel const* const __stop_attune_kernels
    __attribute__((weak, visibility("hidden")));
}

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The kernel that was embedded from the file of this absolute path; null: there is none.
[[nodiscard]] inline embedded_kernel const* embedded_from(std::string const& path)
{
    embedded_kernel const* const* const end = &__stop_attune_kernels;
    for (embedded_kernel const* const* at = &__start_attune_kernels; at != end; ++at)
        if (path == (*at)->path) return *at;
    return nullptr;
}

} // namespace detail

kernel_source embedded_source(std::string const& name)
{
    std::string names;
    embedded_kernel const* const* const end = &__stop_attune_kernels;
    for (embedded_kernel const* const* at = &__start_attune_kernels; at != end; ++at) {
        embedded_kernel const& kernel = **at;
        if (name == kernel.name)
            return {std::string(reinterpret_cast<char const*>(kernel.text), kernel.size),
                    kernel.path};
        names += (names.empty() ? "" : ", ") + std::string(kernel.name);
    }
    throw error("no kernel '" + name + "' is embedded in this program",
                names.empty() ? "there is none" : "there are " + names,
                "embed it in CMakeLists.txt: attune_embed_kernel(<target> " + name + ")");
}

} // namespace attune::inline ATTUNE_ABI
