// attune/core/posix/stay_loaded.hpp - keeps a plugin loaded while its handlers are registered.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Prevents the unloading of the shared object that holds this copy of attune: handlers of signals,
/// forks and exit() point into it. Does nothing in an executable.
/// Cost     one load after the first
void keep_this_library_loaded() noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/stay_loaded.ipp>
#endif
