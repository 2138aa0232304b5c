// attune/core/posix/memory.hpp - the memory of the system, and the free part of it.
// SPDX-License-Identifier: MIT
// Source   Linux: Documentation/filesystems/proc.rst (MemTotal, MemAvailable),
//          admin-guide/cgroup-v2.rst
#pragma once

#include <attune/core/version.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Bytes that are free or in reclaimable caches, within the limits of this process's control
/// groups. The number changes from call to call. Infinity if unknown.
/// @param root  prefix of /proc and /sys
[[nodiscard]] double spare_memory_bytes(std::string const& root = "");

/// Bytes that this process can ever have: the smaller of the installed memory and the tightest
/// limit of its control groups. The system reserves a slightly different part of the installed
/// memory at each start. The installed memory is therefore rounded down, by a sixteenth at most. A
/// limit is exact. Infinity if unknown.
/// @param root  prefix of /proc and /sys
[[nodiscard]] double granted_memory_bytes(std::string const& root = "");

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/memory.ipp>
#endif
