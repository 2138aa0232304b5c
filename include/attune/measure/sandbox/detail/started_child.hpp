// attune/measure/sandbox/detail/started_child.hpp - owns a child process; captures its stderr.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/sandbox/detail/child_list.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A memory file for the child's stderr. Its size is fixed at 64 KiB, however much the child
/// prints. Without memfd_create, descriptor() is -1.
class stderr_file {
public:
    stderr_file() noexcept
    {
#if defined(__linux__) && defined(MFD_ALLOW_SEALING)
        detail::descriptor const made(
            memfd_create("attune child", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        if (!made.is_open()) return;
        // Above 2: must not take the number of a standard descriptor.
        file_ = detail::descriptor(fcntl(made.get(), F_DUPFD_CLOEXEC, 3));
        quiet_writes const quiet;
        if (file_.is_open() && (ftruncate(file_.get(), capacity) != 0 ||
                                fcntl(file_.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0))
            file_.close();
#endif
    }
    [[nodiscard]] int descriptor() const noexcept { return file_.get(); }

    /// The written text; the rest of the file is zeros.
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

/// Blocks every signal while it exists, so that no handler of the host runs in the child before the
/// child has restored the defaults.
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

/// State of a process, as /proc says it: 'T' stopped, 'Z' a zombie; 0: there is none.
inline char state_of_process(pid_t id) noexcept
{
    char text[512] = {};
    std::snprintf(text, sizeof text, "/proc/%ld/stat", long{id});
    descriptor const file(::open(text, O_RDONLY | O_CLOEXEC));
    ssize_t const length = file ? ::read(file.get(), text, sizeof text - 1) : -1;
    if (length <= 0) return 0;
    text[length] = 0;
    char const* const name_end = std::strrchr(text, ')');
    return name_end != nullptr && name_end[1] == ' ' ? name_end[2] : '\0';
}

/// Kills what a running child process has started, and what that has: a process that left the
/// child's group would go on. All of them are stopped first, so that no id is given away. One that
/// is not stopped so far may start another: they are listed until all are dead.
inline void end_below(pid_t of) noexcept
{
    kill(of, SIGSTOP);
    timespec const nap{0, 100'000};
    auto const is_one_of = [of](char const* states) {
        char const state = state_of_process(of);
        return state == 0 || std::strchr(states, state) != nullptr;
    };
    for (int tries = 0; tries < 1000 && !is_one_of("TtZX"); ++tries)
        nanosleep(&nap, nullptr);
    char tasks[64];
    std::snprintf(tasks, sizeof tasks, "/proc/%ld/task", long{of});
    bool is_any_alive = true;
    for (int rounds = 0; rounds < 1000 && is_any_alive; ++rounds) {
        is_any_alive = false;
        for_each_child(tasks, [&](pid_t id) {
            char const state = state_of_process(id);
            if (state == 0 || state == 'Z' || state == 'X') return;
            is_any_alive = true;
            end_below(id);
            ::kill(id, SIGKILL);
        });
        if (is_any_alive) nanosleep(&nap, nullptr);
    }
}

/// Owns a child process until it is reaped; the destructor leaves neither a process nor a zombie.
///
/// If another part of the program reaps it first, or SIGCHLD is ignored, its id and its group's may
/// belong to other processes: then no signal is sent.
class started_child {
public:
    explicit started_child(pid_t id) noexcept
        : id_(id)
    {
    }
    ~started_child() { end(); }
    started_child(started_child const&) = delete;
    started_child& operator=(started_child const&) = delete;

    /// Process id; 0: ended.
    [[nodiscard]] pid_t id() const noexcept { return id_; }

    /// True when it has ended or was reaped elsewhere. It stays a zombie until end(), so that its
    /// id is not reused.
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

    /// Asks the system to end nap() when the child ends (pidfd_open, Linux 5.3).
    /// @return  false: it cannot
    bool await() noexcept
    {
#if defined(__linux__) && defined(SYS_pidfd_open)
        if (id_ > 0 && !is_lost_ && !end_.is_open())
            end_ = detail::descriptor(static_cast<int>(::syscall(SYS_pidfd_open, id_, 0)));
#endif
        return end_.is_open();
    }
    /// Waits for `seconds`, until a signal comes or, after await(), until the child ends.
    void nap(double seconds) const noexcept
    {
        auto const whole_s = static_cast<std::time_t>(seconds);
        timespec const span{whole_s,
                            static_cast<long>((seconds - static_cast<double>(whole_s)) * 1e9)};
#if defined(__linux__)
        ::pollfd end{end_.get(), POLLIN, 0};
        int const ready = end_.is_open() ? ::ppoll(&end, 1, &span, nullptr) : -1;
        if (ready == 0 || (ready < 0 && end_.is_open() && errno == EINTR)) return;
        // Not of a descriptor that the program closed, which would be ready for ever.
        if (ready > 0 && (end.revents & POLLIN) != 0) return;
#endif
        nanosleep(&span, nullptr);
    }

    /// Kills it and its process group, then reaps it. A process that does not end within `within_s`
    /// wall seconds (signals wait while a driver hangs) is left.
    /// @return  the wait status; empty when it was reaped elsewhere or left
    std::optional<int> end(double within_s = 5) noexcept
    {
        if (id_ <= 0) return status_;
        bool const runs = !has_ended();
        pid_t const ended = std::exchange(id_, 0);
        if (is_lost_) return status_;
        if (runs) end_below(ended);
        // The group first: its processes may hold resources of the child.
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
    /// True: it was killed and did not end in time.
    [[nodiscard]] bool is_left() const noexcept { return is_left_; }

private:
    pid_t id_ = 0;
    detail::descriptor end_{}; ///< readable once it has ended; closed without await()
    bool is_lost_ = false;
    bool is_left_ = false;
    std::optional<int> status_;
};

} // namespace attune::inline ATTUNE_ABI::detail
