// attune/measure/sandbox/detail/started_child.hpp - owns a child process; lists children.
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
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

#if defined(__linux__)
/// Calls `f` with each number in the file.
template <class F>
void for_each_number_in(int file, F const& f) noexcept
{
    char block[512];
    pid_t number = 0;
    for (ssize_t got = 0; (got = ::read(file, block, sizeof block)) > 0;)
        for (ssize_t i = 0; i < got; ++i)
            if (block[i] != ' ') {
                number = 10 * number + (block[i] - '0');
            } else {
                f(number);
                number = 0;
            }
}
#endif

/// Calls `f` with the id of each child process that a thread of a process started or got as an
/// orphan. Each thread has a separate list. A signal handler may call it.
///
/// @param tasks  "/proc/self/task", or that of another process
/// @return  number of children; 0 if the kernel does not list them (CONFIG_PROC_CHILDREN)
template <class F>
std::size_t for_each_child(char const* tasks, F const& f) noexcept
{
    std::size_t count = 0;
#if defined(__linux__)
    int const folder = ::open(tasks, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return 0;
    constexpr std::size_t name_offset = 19; // of linux_dirent64; its length is at 16
    alignas(8) char entries[1024];          // readdir() would allocate
    for (long got = 0; (got = ::syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
        for (char const* at = entries; at < entries + got;) {
            char path[64] = {};
            std::strncpy(path, at + name_offset, 32);
            std::strcat(path, "/children");
            std::uint16_t length = 0;
            std::memcpy(&length, at + 16, sizeof length);
            at += length;
            int const list = path[0] == '.' ? -1 : ::openat(folder, path, O_RDONLY | O_CLOEXEC);
            if (list < 0) continue;
            for_each_number_in(list, [&](pid_t id) {
                ++count;
                f(id);
            });
            ::close(list);
        }
    ::close(folder);
#else
    static_cast<void>(tasks), static_cast<void>(f);
#endif
    return count;
}

/// A memory file for the child's stderr. The size is 64 KiB, however much the child prints. Without
/// memfd_create, descriptor() is -1.
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

/// Blocks every signal while it exists. No handler of the host then runs in the child before the
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

/// State of a process in /proc: 'T' stopped, 'Z' a zombie; 0: there is none.
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

/// Kills the descendants of a running child process, including those that left its group. First
/// stops each process, so that no id is reused. A process that is not yet stopped may start
/// another, so the loop lists them until all are dead.
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
/// Other code may reap it first, or SIGCHLD may be ignored. The ids of child and group may then
/// belong to other processes, so no signal is sent.
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

    /// Returns true if it has ended or was reaped elsewhere. The zombie stays until end(), so its
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

    /// Makes nap() end when the child ends (pidfd_open, Linux 5.3). Returns false if the system
    /// cannot.
    bool await() noexcept
    {
#if defined(__linux__) && defined(SYS_pidfd_open)
        if (id_ > 0 && !is_lost_ && !end_.is_open())
            end_ = detail::descriptor(static_cast<int>(::syscall(SYS_pidfd_open, id_, 0)));
#endif
        return end_.is_open();
    }
    /// Waits for `seconds`, or until a signal comes or, after await(), until the child ends.
    void nap(double seconds) const noexcept
    {
        auto const whole_s = static_cast<std::time_t>(seconds);
        timespec const span{whole_s,
                            static_cast<long>((seconds - static_cast<double>(whole_s)) * 1e9)};
#if defined(__linux__)
        ::pollfd end{end_.get(), POLLIN, 0};
        int const ready = end_.is_open() ? ::ppoll(&end, 1, &span, nullptr) : -1;
        if (ready == 0 || (ready < 0 && end_.is_open() && errno == EINTR)) return;
        // poll() always reports a closed descriptor at once.
        if (ready > 0 && (end.revents & POLLIN) != 0) return;
#endif
        nanosleep(&span, nullptr);
    }

    /// Kills it and its process group, then reaps it. Leaves a process that does not end within
    /// `within_s` wall seconds (signals wait while a driver hangs).
    /// @return  the wait status; empty if it was reaped elsewhere or left
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
    /// Returns true if it was killed and did not end in time.
    [[nodiscard]] bool is_left() const noexcept { return is_left_; }

private:
    pid_t id_ = 0;
    detail::descriptor end_{}; ///< readable after its end; closed without await()
    bool is_lost_ = false;
    bool is_left_ = false;
    std::optional<int> status_;
};

} // namespace attune::inline ATTUNE_ABI::detail
