// attune/compile/source/embedded.ipp - finds them by path and by name.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/embedded.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE embedded_file const* embedded_from(embedded_files const& files,
                                                 std::string const& path)
{
    for (embedded_file const* const kernel : files)
        if (path == kernel->path) return kernel;
    return nullptr;
}

ATTUNE_INLINE embedded_file const& embedded_under(embedded_files const& files,
                                                  std::string const& name)
{
    embedded_file const* const kernel = files.find(name);
    if (kernel == nullptr)
        throw error("no kernel '" + name + "' is embedded in this program", files.names(),
                    "embed it in CMakeLists.txt: attune_embed_kernel(<target> " + name + ")");
    if (embedded_file const* const other = files.find_other(*kernel))
        throw error("two kernels '" + name + "' are embedded in this program",
                    std::string(kernel->path) + " and " + other->path,
                    "let attune::source_file find each beside its own source file, or write a "
                    "folder in CMakeLists.txt: attune_embed_kernel(<target> ../<folder>/" +
                        name + ")");
    return *kernel;
}

ATTUNE_INLINE bool is_embedded(embedded_files const& files, char const* path, std::string_view text)
{
    for (embedded_file const* const kernel : files)
        if (std::string_view(kernel->path) == path && text == kernel->view()) return true;
    return false;
}

} // namespace attune::inline ATTUNE_ABI::detail
