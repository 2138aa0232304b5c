// attune/measure/sandbox/detail/started_child.hpp - a child process while it lives, and its stderr.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A file in memory that takes the child's stderr: of fixed size, so that a child that never stops
/// printing fills 64 KiB and no more. Where there is none, descriptor() is -1.
class stderr_file {
public:
    stderr_file() noexcept
    {
#if defined(__linux__) && defined(MFD_ALLOW_SEALING)
        detail::descriptor const made(
            memfd_create("attune child", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        if (!made.is_open()) return;
        // Above 2, so that it cannot be in the way of the standard descriptors.
        file_ = detail::descriptor(fcntl(made.get(), F_DUPFD_CLOEXEC, 3));
        detail::quiet_writes const quiet;
        if (file_.is_open() && (ftruncate(file_.get(), capacity) != 0 ||
                                fcntl(file_.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0))
            file_.close();
#endif
    }
    [[nodiscard]] int descriptor() const noexcept { return file_.get(); }

    /// All that was written: the file begins as zeros.
    [[nodiscard]] std::string text() const
    {
        if (!file_.is_open()) return {};
        std::string read(capacity, '\0');
        ssize_t const got = pread(file_.get(), read.data(), read.size(), 0);
        read.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        read.erase(read.find_last_not_of('\0') + 1);
        return read;
    }

private:
    static constexpr std::size_t capacity = 64 * 1024;
    detail::descriptor file_;
};

/// Blocks every signal while it lives: no handler of the host may run in the child before the child
/// has put them all back to their defaults.
class all_signals_blocked {
public:
    all_signals_blocked() noexcept
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~all_signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    all_signals_blocked(all_signals_blocked const&) = delete;
    all_signals_blocked& operator=(all_signals_blocked const&) = delete;

private:
    sigset_t before_{};
};

/// A child of this process until it is reaped. Its destructor leaves neither a process nor a
/// zombie.
///
/// Another part of the program may reap it first, or SIGCHLD may be ignored. From then on its
/// number, and that of its group, can be given to others: nothing is sent there any more.
class started_child {
public:
    explicit started_child(pid_t id) noexcept
        : id_(id)
    {
    }
    ~started_child() { end(); }
    started_child(started_child const&) = delete;
    started_child& operator=(started_child const&) = delete;

    /// 0: ended.
    [[nodiscard]] pid_t id() const noexcept { return id_; }

    /// True when it has ended (or is not ours to wait for any more). It stays a zombie until end(),
    /// so that its number cannot be given to another process meanwhile.
    [[nodiscard]] bool has_ended() noexcept
    {
        if (id_ <= 0 || is_lost_) return true;
        siginfo_t info{};
        int result = 0;
        do {
            result = waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT);
        } while (result != 0 && errno == EINTR);
        if (result != 0) is_lost_ = true;
        return is_lost_ || info.si_pid == id_;
    }

    /// Kills it if it still runs, and whatever it has started, then reaps it. What does not end
    /// within that many seconds (in a driver that hangs, signals wait too) is left as it is.
    /// @return  the wait status; nothing when somebody else has reaped it, or when it was left
    std::optional<int> end(double within_s = 5) noexcept
    {
        if (id_ <= 0) return status_;
        static_cast<void>(has_ended()); // is it ours still?
        pid_t const ended = std::exchange(id_, 0);
        if (is_lost_) return status_;
        // The group first: what it has started holds on to nothing then.
        kill(-ended, SIGKILL);
        kill(ended, SIGKILL);
        system_clocks const clocks;
        double const until_s = clocks.wall_s() + within_s;
        for (long nap_ns = 50'000;; nap_ns = std::min(2 * nap_ns, 5'000'000L)) {
            int status = 0;
            pid_t const result = waitpid(ended, &status, WNOHANG);
            if (result == ended) status_ = status;
            if (result == ended || (result < 0 && errno != EINTR)) return status_;
            is_left_ = !(clocks.wall_s() < until_s);
            if (is_left_) return status_;
            timespec const nap{0, nap_ns};
            nanosleep(&nap, nullptr);
        }
    }
    /// It was killed, and had not ended when the time for that was up.
    [[nodiscard]] bool is_left() const noexcept { return is_left_; }

private:
    pid_t id_ = 0;
    bool is_lost_ = false;
    bool is_left_ = false;
    std::optional<int> status_;
};

} // namespace attune::inline ATTUNE_ABI::detail
