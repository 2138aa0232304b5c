// attune/measure/sandbox/detail/child_side.hpp - set-up and report of a forked child.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/detail/started_child.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace attune::inline ATTUNE_ABI::detail {

/// A report in memory shared by both processes. The child only writes it, the parent only reads it.
/// A variant may overwrite all of it, so the parent checks every length.
struct child_report {
    std::atomic<child_phase> phase{child_phase::starting};
    std::atomic<child_ending> ending{child_ending::lost};
    double begun_s = 0;   ///< steady clock; written before phase becomes `running`
    double elapsed_s = 0; ///< written before phase becomes `checking`
    std::atomic<int> signal{0};
    std::atomic<int> signal_code{0};
    std::atomic<bool> wanted_memory{false};
    std::atomic<bool> has_address{false};
    std::atomic<std::uintptr_t> address{0};
    std::atomic<std::size_t> text_length{0};
    char text[4000] = {};

    void say(child_ending how, std::string_view words) noexcept
    {
        std::size_t const length = std::min(words.size(), sizeof text);
        std::memcpy(text, words.data(), length);
        text_length.store(length);
        ending.store(how);
    }
};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free &&
                  std::atomic<child_phase>::is_always_lock_free,
              "a report is shared between processes and written by a signal handler: both need "
              "atomics without locks");

/// The report of this process, for its signal handler, which gets no argument from attune. Only a
/// child writes it, in its own memory.
[[nodiscard]] inline std::atomic<child_report*>& report_of_this_child() noexcept
{
    static std::atomic<child_report*> where{nullptr};
    return where;
}

/// Kills and reaps the child processes of this process, also those that it gets as orphans
/// meanwhile.
inline void end_descendants() noexcept
{
    auto const end = [](pid_t id) {
        if (::kill(id, SIGKILL) == 0) ::waitpid(id, nullptr, 0);
    };
    for (int rounds_left = 1000; rounds_left > 0; --rounds_left)
        if (for_each_child("/proc/self/task", end) == 0) return;
}

/// Reports a fault, then lets the signal kill the process.
inline void note_fault(int signal, siginfo_t* info, void* /*context*/) noexcept
{
    child_report* const report = report_of_this_child().load();
    report->wanted_memory.store(errno == ENOMEM); // malloc() may have failed
    report->signal_code.store(info->si_code);
    // Positive codes are hardware faults; SI_KERNEL (0x80) has no useful address.
    bool const is_memory = signal == SIGSEGV || signal == SIGBUS;
    if (is_memory && info->si_code > 0 && info->si_code < 0x80) {
        report->address.store(reinterpret_cast<std::uintptr_t>(info->si_addr));
        report->has_address.store(true);
    }
    report->signal.store(signal);
    end_descendants();
#if defined(__linux__)
    prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); // no line about a core file in the kernel's log
#endif
    // SA_RESETHAND has restored the default action; the signal is delivered on return.
    raise(signal);
}

/// Sets every signal to its default and unblocks all. A handler reports faults; it has a separate
/// stack, because the ordinary stack may have overflowed.
inline void reset_signals() noexcept
{
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal)
        sigaction(signal, &standard, nullptr); // fails for SIGKILL and SIGSTOP

    std::size_t const bytes = 64 * 1024;
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        stack_t stack{};
        stack.ss_sp = memory;
        stack.ss_size = bytes;
        sigaltstack(&stack, nullptr);
        struct sigaction noting{};
        noting.sa_sigaction = note_fault;
        noting.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
        for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
            sigaction(signal, &noting, nullptr);
    }
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

/// Standard input and output become /dev/null, standard error `standard_error` (or /dev/null).
/// Output that the parent has buffered is lost when the child flushes it.
inline void detach_standard_streams(int standard_error) noexcept
{
    int const nowhere = open("/dev/null", O_RDWR);
    for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (nowhere >= 0)
            dup2(nowhere, descriptor);
        else
            close(descriptor);
    }
    if (standard_error >= 0) dup2(standard_error, STDERR_FILENO);
    if (nowhere > STDERR_FILENO) close(nowhere);
}

/// Limits memory to `bytes` more than is mapped now. Makes this process the first to be killed if
/// the machine runs out of memory.
inline void limit_memory(std::size_t bytes) noexcept
{
#if defined(__linux__)
    int const score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0) {
        if (write(score, "1000", 4) < 0) errno = 0; // may be forbidden
        close(score);
    }
    char text[64] = {};
    int const sizes = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (sizes < 0) return;
    ssize_t const got = read(sizes, text, sizeof text - 1);
    close(sizes);
    if (got <= 0) return;
    auto const page = static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    rlim_t const mapped = static_cast<rlim_t>(std::strtoull(text, nullptr, 10)) * page;
    rlimit allowed{};
    getrlimit(RLIMIT_AS, &allowed);
    allowed.rlim_cur = std::min<rlim_t>(allowed.rlim_max, mapped + bytes);
    setrlimit(RLIMIT_AS, &allowed);
#else
    static_cast<void>(bytes);
#endif
}

/// Makes each process that a run starts end with the run, also if it leaves its group or parent.
inline void bind_descendants() noexcept
{
#if defined(__linux__)
    prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL); // orphans stay below this process
    // A killed process cannot end its descendants, so each descendant ends with its parent. A child
    // whose parent ended before this call ends at once, unless this process has adopted the child
    // and ends it later.
    static pid_t subreaper = 0;
    subreaper = getpid();
    static pid_t forking = 0;
    pthread_atfork([] { forking = getpid(); }, nullptr,
                   [] {
                       prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL);
                       pid_t const parent = getppid();
                       if (parent != forking && parent != subreaper) _exit(EXIT_FAILURE);
                   });
#endif
}

/// Ends the child with its parent, and prevents core files and crash reports.
inline void bind_to_parent(pid_t parent, child_limits const& limits) noexcept
{
    setpgid(0, 0);
    // The limit is one byte, so the kernel writes no core file and starts no program for crash
    // reports. Not 0 and no "undumpable" flag, because a variant may set these itself.
    rlimit core{};
    getrlimit(RLIMIT_CORE, &core);
    core.rlim_cur = std::min<rlim_t>(1, core.rlim_max);
    setrlimit(RLIMIT_CORE, &core);
    limit_memory(limits.memory_bytes);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    bind_descendants();
    if (getppid() != parent) _exit(1);
    // Without PR_SET_PDEATHSIG the child ends by itself, some time after the parent's limit.
    double const seconds = std::ceil(limits.run_s + limits.check_s) + 30;
    if (seconds < 1e6) alarm(static_cast<unsigned>(seconds));
}

/// Makes exit() and quick_exit() end the child before the program's own handlers and destructors
/// run: handlers registered last run first.
inline void leave_before_other_handlers() noexcept
{
#if defined(__GLIBC__)
    on_exit(
        [](int status, void*) {
            end_descendants();
            _exit(status);
        },
        nullptr);
#else
    std::atexit([] { _exit(EXIT_FAILURE); });
#endif
    std::at_quick_exit([] {
        end_descendants();
        _exit(EXIT_FAILURE);
    });
}

/// The child's work after the fork. Does not return. An exception outside of the handlers below
/// ends in std::terminate: SIGABRT.
[[noreturn]] inline void run_child(std::function<void()> const& run,
                                   std::function<std::string()> const& check,
                                   child_limits const& limits, child_report& report,
                                   int standard_error, pid_t parent) noexcept
{
    report_of_this_child().store(&report);
    reset_signals();
    bind_to_parent(parent, limits);
    detach_standard_streams(standard_error);
    leave_before_other_handlers();

    system_clocks const clocks;
    pid_t const self = getpid();
    try {
        report.begun_s = clocks.wall_s();
        report.phase.store(child_phase::running);
        errno = 0;
        run();
        if (getpid() != self) _exit(0); // `run` has forked: only the original child reports
        report.elapsed_s = clocks.wall_s() - report.begun_s;
        report.phase.store(child_phase::checking);
        std::string const objection = check ? check() : std::string();
        report.say(objection.empty() ? child_ending::returned : child_ending::objected, objection);
    } catch (std::bad_alloc const& thrown) {
        report.wanted_memory = true;
        report.say(child_ending::threw, thrown.what());
    } catch (std::exception const& thrown) {
        report.wanted_memory = errno == ENOMEM;
        report.say(child_ending::threw, thrown.what());
    } catch (...) {
        report.say(child_ending::threw, "an exception that is not a std::exception");
    }
    end_descendants();
    report.phase.store(child_phase::done);
    _exit(0);
}

} // namespace attune::inline ATTUNE_ABI::detail
