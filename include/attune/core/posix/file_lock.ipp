// attune/core/posix/file_lock.ipp - flock(2) with a bounded wait, released by its holder.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/file_lock.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <sys/file.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE int take_flock(int file, int operation, double wait_s) noexcept
{
    double const until = steady_seconds() + wait_s;
    // A holder is done after some microseconds.
    for (long pause_ns = 20'000;; pause_ns = std::min(2 * pause_ns, 1'000'000L)) {
        if (::flock(file, operation | LOCK_NB) == 0) return 0;
        int const why = errno == EINTR ? EWOULDBLOCK : errno;
        if (why != EWOULDBLOCK || steady_seconds() >= until) return why;
        std::timespec const pause{0, pause_ns};
        ::nanosleep(&pause, nullptr);
    }
}

ATTUNE_INLINE file_lock::file_lock(int file, double wait_s) noexcept
    : file_(file)
    , is_mine_(take_flock(file, LOCK_EX, wait_s) == 0)
    , process_(::getpid())
{
}

ATTUNE_INLINE file_lock::~file_lock()
{
    if (is_mine_ && process_ == ::getpid()) ::flock(file_, LOCK_UN);
}

} // namespace attune::inline ATTUNE_ABI::detail
