// attune/core/posix/detail/quiet_writes.hpp - a write beyond the limit on the size of files is an error, not a signal.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace attune::inline ATTUNE_ABI::detail {

/// While one exists, SIGXFSZ is blocked in the calling thread, and a write beyond RLIMIT_FSIZE
/// fails with EFBIG instead of ending the process. A SIGXFSZ that this thread's writes raised is
/// consumed before the mask is restored.
class quiet_writes {
public:
    quiet_writes() noexcept
    {
        sigset_t pending;
        sigemptyset(&pending);
        sigemptyset(&mine_);
        sigaddset(&mine_, SIGXFSZ);
        pthread_sigmask(SIG_BLOCK, &mine_, &before_);
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    }
    ~quiet_writes()
    {
        int const kept = errno;
        std::timespec const no_time{};
        while (!was_pending_ && sigtimedwait(&mine_, nullptr, &no_time) < 0 && errno == EINTR) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = kept;
    }
    quiet_writes(quiet_writes const&) = delete;
    quiet_writes& operator=(quiet_writes const&) = delete;

private:
    sigset_t mine_;
    sigset_t before_;
    bool was_pending_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail
