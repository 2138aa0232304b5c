// attune/core/posix/memory.hpp - how much memory the system has, and how much of it is free.
// SPDX-License-Identifier: MIT
// Source   Linux: Documentation/filesystems/proc.rst (MemTotal, MemAvailable),
//          admin-guide/cgroup-v2.rst
#pragma once

#include <attune/core/version.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Bytes that are free without taking memory from other programs, within the limits of this
/// process's control groups. It differs from call to call. Infinity when unknown.
/// @param root  prefix of /proc and /sys
[[nodiscard]] double spare_memory_bytes(std::string const& root = "");

/// Bytes that this process may ever have: the installed memory, or the tightest limit of its
/// control groups if that is less. Of the installed memory, the system keeps some for itself, and a
/// little more or less at each start; so it is rounded down by a sixteenth at most, and stays the
/// same from start to start. A limit is exact. Infinity when unknown.
/// @param root  prefix of /proc and /sys
[[nodiscard]] double granted_memory_bytes(std::string const& root = "");

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/memory.ipp>
#endif
