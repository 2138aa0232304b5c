// attune/core/posix/steady_seconds.ipp - clock_gettime().
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>

#include <time.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE double steady_seconds() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace attune::inline ATTUNE_ABI::detail
