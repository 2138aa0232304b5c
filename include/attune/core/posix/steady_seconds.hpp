// attune/core/posix/steady_seconds.hpp - the clock that limits and elapsed times are counted on.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Seconds on a clock that never goes back (CLOCK_MONOTONIC); only differences mean something. May
/// be called in a signal handler and in a forked child.
[[nodiscard]] double steady_seconds() noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/steady_seconds.ipp>
#endif
