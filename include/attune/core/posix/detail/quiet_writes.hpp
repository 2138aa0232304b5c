// attune/core/posix/detail/quiet_writes.hpp - a write that fails is an error, not a signal.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace attune::inline ATTUNE_ABI::detail {

/// While an object of this class exists, SIGXFSZ and SIGPIPE are blocked in the calling thread. A
/// write beyond RLIMIT_FSIZE then fails with EFBIG, and a write to a pipe without a reader with
/// EPIPE. Neither ends the process. The destructor consumes such signals of this thread's writes,
/// then restores the mask.
class quiet_writes {
public:
    quiet_writes() noexcept
    {
        sigset_t pending;
        sigset_t both;
        sigemptyset(&pending);
        sigemptyset(&both);
        sigemptyset(&mine_);
        for (int const signal : {SIGXFSZ, SIGPIPE})
            sigaddset(&both, signal);
        pthread_sigmask(SIG_BLOCK, &both, &before_);
        sigpending(&pending);
        for (int const signal : {SIGXFSZ, SIGPIPE})
            if (sigismember(&pending, signal) != 1) sigaddset(&mine_, signal);
    }
    ~quiet_writes()
    {
        int const kept = errno;
        std::timespec const no_time{};
        while (sigtimedwait(&mine_, nullptr, &no_time) > 0 || errno == EINTR) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = kept;
    }
    quiet_writes(quiet_writes const&) = delete;
    quiet_writes& operator=(quiet_writes const&) = delete;

private:
    sigset_t mine_; ///< signals that were not pending before
    sigset_t before_;
};

} // namespace attune::inline ATTUNE_ABI::detail
