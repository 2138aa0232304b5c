// attune/core/posix/stay_loaded.hpp - a plugin whose handlers are in use is not unloaded.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Has the loader never unload the shared object that holds this copy of attune: handlers of
/// signals, forks and of exit() point into it. Nothing to do in a program itself. Cost  a load
/// after the first
void keep_this_library_loaded() noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/stay_loaded.ipp>
#endif
