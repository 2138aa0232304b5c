// attune/core/posix/steady_seconds.hpp - the clock of all limits and elapsed times.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Seconds of CLOCK_MONOTONIC, which never goes back; only differences have a meaning. Safe in a
/// signal handler and in a forked child.
[[nodiscard]] double steady_seconds() noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/steady_seconds.ipp>
#endif
