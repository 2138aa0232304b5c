// attune/core/posix/stay_loaded.ipp - dlopen() with RTLD_NODELETE.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/stay_loaded.hpp>
#include <attune/core/version.hpp>

#include <dlfcn.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void keep_this_library_loaded() noexcept
{
    static bool const once = [] {
        static char const here = 0;
        Dl_info info{};
        if (::dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return false;
        // RTLD_NOLOAD finds a loaded object by its name; an executable has no such name.
        return ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
    }();
    static_cast<void>(once);
}

} // namespace attune::inline ATTUNE_ABI::detail
