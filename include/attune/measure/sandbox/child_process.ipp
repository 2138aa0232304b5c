// attune/measure/sandbox/child_process.ipp - fork, limit, reap: behind child_process.hpp.
// SPDX-License-Identifier: MIT
//
// The parent polls waitid() instead of sleeping on a descriptor: nothing to leak, the same on every
// POSIX system, and no SIGCHLD handler of the host is in the way
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/fork_gate.ipp>
#include <attune/core/posix/program_end.ipp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/roofline/detail/spare_memory.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/detail/child_side.hpp>
#include <attune/measure/sandbox/detail/signal_text.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The page that parent and child share.
class shared_report {
public:
    shared_report()
        : memory_(mmap(nullptr,
                       sizeof(child_report),
                       PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS,
                       -1,
                       0))
    {
        if (memory_ == MAP_FAILED)
            throw error("no memory to share with a child process",
                        std::strerror(errno),
                        "free memory, or turn trial runs off");
        report_ = ::new (memory_) child_report;
    }
    ~shared_report() { munmap(memory_, sizeof(child_report)); }
    shared_report(shared_report const&) = delete;
    shared_report& operator=(shared_report const&) = delete;

    [[nodiscard]] child_report& get() const noexcept { return *report_; }

private:
    void* memory_;
    child_report* report_ = nullptr;
};

/// A file in memory that takes the child's stderr: of fixed size, so that a child that never stops
/// printing fills 64 KiB and no more. Where there is none, descriptor() is -1.
class stderr_file {
public:
    stderr_file() noexcept
    {
#if defined(__linux__) && defined(MFD_ALLOW_SEALING)
        int const made = memfd_create("attune child", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (made < 0) return;
        // Above 2, so that it cannot be in the way of the standard descriptors.
        descriptor_ = fcntl(made, F_DUPFD_CLOEXEC, 3);
        close(made);
        detail::quiet_writes const quiet;
        if (descriptor_ >= 0 && (ftruncate(descriptor_, capacity) != 0 ||
                                 fcntl(descriptor_, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0))
            close(std::exchange(descriptor_, -1));
#endif
    }
    ~stderr_file()
    {
        if (descriptor_ >= 0) close(descriptor_);
    }
    stderr_file(stderr_file const&) = delete;
    stderr_file& operator=(stderr_file const&) = delete;

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

    /// All that was written: the file begins as zeros.
    [[nodiscard]] std::string text() const
    {
        if (descriptor_ < 0) return {};
        std::string read(capacity, '\0');
        ssize_t const got = pread(descriptor_, read.data(), read.size(), 0);
        read.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        read.erase(read.find_last_not_of('\0') + 1);
        return read;
    }

private:
    static constexpr std::size_t capacity = 64 * 1024;
    int descriptor_ = -1;
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

/// Forks. `work` runs in the child and does not return there.
template <class Work>
[[nodiscard]] pid_t fork_child(Work const& work, std::span<address_range const> without)
{
    all_signals_blocked const guard;
    std::optional<fork_without> omission;
    own_fork const scope{[&] { omission.emplace(without); }, [&] { omission.reset(); }};
    pid_t const id = fork();
    if (id == 0) {
        omission->forbid();
        work();
    } // [[noreturn]] in effect: run_child() ends in _exit
    if (id < 0)
        throw error(
            "cannot start a child process for a trial run",
            std::strerror(errno),
            "free memory, raise the limit on processes (ulimit -u), or turn trial runs off");
    setpgid(id, id); // the child does the same; whoever comes first
    return id;
}

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

/// When the child is to be killed, given how far it has come; in seconds of the steady clock.
[[nodiscard]] inline double
child_deadline_s(child_report const& report, double forked_s, child_limits const& limits)
{
    switch (report.phase.load()) {
    case child_phase::starting:
        return forked_s + limits.begin_s;
    case child_phase::running: {
        double const last_s = report.begun_s + limits.run_s;
        return limits.run_until_s ? std::min(last_s, limits.run_until_s()) : last_s;
    }
    case child_phase::checking:
    case child_phase::done:
        break;
    }
    return report.begun_s + report.elapsed_s + limits.check_s;
}

/// True when the child ended, false when its time is up.
[[nodiscard]] inline bool
wait_for_child(started_child& child, child_report const& report, child_limits const& limits)
{
    system_clocks const clocks;
    double const forked_s = clocks.wall_s();
    for (;;) {
        cut_here();
        double const now_s = clocks.wall_s();
        double const left_s = child_deadline_s(report, forked_s, limits) - now_s;
        if (child.has_ended()) return true;
        if (!(left_s > 0)) return false;
        double const nap_s =
            std::min(std::clamp((now_s - forked_s) / 16, 50e-6, 5e-3), std::max(left_s, 50e-6));
        timespec const nap{0, static_cast<long>(nap_s * 1e9)};
        nanosleep(&nap, nullptr);
    }
}

} // namespace detail

std::size_t usual_child_memory()
{
    constexpr double gib = 1 << 30;
    double const spare = detail::spare_memory_bytes();
    return static_cast<std::size_t>(std::isfinite(spare) ? std::max(gib, 0.75 * spare) : 8 * gib);
}

child_end run_in_child(std::function<void()> const& run,
                       std::function<std::string()> const& check,
                       child_limits const& given)
{
    child_limits limits = given;
    if (limits.memory_bytes == 0) limits.memory_bytes = usual_child_memory();
    detail::shared_report const shared;
    detail::stderr_file const standard_error;
    detail::child_report& report = shared.get();
    pid_t const parent = getpid();
    detail::started_child child(detail::fork_child(
        [&] { detail::run_child(run, check, limits, report, standard_error.descriptor(), parent); },
        limits.without));

    bool const in_time = detail::wait_for_child(child, report, limits);
    std::optional<int> const status = child.end();

    child_end end;
    end.phase = report.phase.load();
    if (!in_time && end.phase == child_phase::starting)
        throw error("a child process for a trial run has not begun after " +
                        detail::seconds_text(limits.begin_s),
                    "the machine is overloaded, or a handler of pthread_atfork() waits for what "
                    "never comes",
                    "run less beside it, or turn trial runs off (isolation::guard)");
    end.elapsed_s = report.elapsed_s;
    end.wanted_memory = report.wanted_memory.load();
    end.text.assign(report.text, std::min(report.text_length.load(), sizeof report.text));
    end.log = standard_error.text();
    bool const is_done = end.phase == child_phase::done;
    if (is_done && (!status || (WIFEXITED(*status) && WEXITSTATUS(*status) == 0))) {
        end.ending = report.ending.load();
    } else if (!in_time) {
        end.ending = child_ending::overran;
    } else if (status && WIFSIGNALED(*status)) {
        end.ending = child_ending::signalled;
        end.code = WTERMSIG(*status);
        if (report.signal.load() == end.code) {
            end.signal_code = report.signal_code.load();
            if (report.has_address.load()) end.address = report.address.load();
        }
    } else if (status && WIFEXITED(*status)) {
        end.ending = child_ending::exited;
        end.code = WEXITSTATUS(*status);
    }
    return end;
}

} // namespace attune::inline ATTUNE_ABI
