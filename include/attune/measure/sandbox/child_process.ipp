// attune/measure/sandbox/child_process.ipp - forks, limits and reaps the child.
// SPDX-License-Identifier: MIT
//
// The parent polls waitid(), which works on every POSIX system and does not depend on the host's
// SIGCHLD handler. Between two polls it sleeps: on Linux until the child ends, else ever longer.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/memory.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/detail/child_side.hpp>
#include <attune/measure/sandbox/detail/signal_text.hpp>
#include <attune/measure/sandbox/detail/started_child.hpp>
#include <attune/measure/sandbox/shared_with_child.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// The memory that parent and child share.
[[nodiscard]] inline shared_with_child<child_report> shared_report()
{
    try {
        return {};
    } catch (std::bad_alloc const&) {
        throw error("no memory to share with a child process", std::strerror(errno),
                    "free memory, or turn trial runs off");
    }
}

/// Forks. `work` runs in the child and does not return.
template <class Work>
[[nodiscard]] pid_t fork_child(Work const& work, std::span<address_range const> without)
{
    all_signals_blocked const guard;
    std::optional<fork_exclusions> omission;
    own_fork const scope{[&] { omission.emplace(without); }, [&] { omission.reset(); }};
    pid_t const id = fork();
    if (id == 0) {
        omission->forbid();
        work();
    } // not reached in the child: run_child() ends in _exit
    if (id < 0)
        throw error(
            "cannot start a child process for a trial run", std::strerror(errno),
            "free memory, raise the limit on processes (ulimit -u), or turn trial runs off");
    setpgid(id, id); // the child does the same, because either may be first
    return id;
}

/// When the child must be killed in its present phase, in seconds of the steady clock.
[[nodiscard]] inline double child_deadline_s(child_report const& report, double forked_s,
                                             child_limits const& limits)
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

/// True when the child has ended, false when its time is up.
[[nodiscard]] inline bool wait_for_child(started_child& child, child_report const& report,
                                         child_limits const& limits)
{
    system_clocks const clocks;
    double const forked_s = clocks.wall_s();
    constexpr double longest_nap_s = 5e-3; // for Ctrl-C that another thread took
    bool const is_awaited = child.await();
    for (;;) {
        cut_here();
        double const now_s = clocks.wall_s();
        double const left_s = child_deadline_s(report, forked_s, limits) - now_s;
        if (child.has_ended()) return true;
        if (!(left_s > 0)) return false;
        double const nap_s =
            is_awaited ? longest_nap_s : std::clamp((now_s - forked_s) / 16, 50e-6, longest_nap_s);
        child.nap(std::min(nap_s, std::max(left_s, 50e-6)));
    }
}

ATTUNE_INLINE std::size_t usual_child_memory()
{
    constexpr double gib = 1 << 30;
    double const spare = spare_memory_bytes();
    return static_cast<std::size_t>(std::isfinite(spare) ? std::max(gib, 0.75 * spare) : 8 * gib);
}

ATTUNE_INLINE child_end run_in_child(std::function<void()> const& run,
                                     std::function<std::string()> const& check,
                                     child_limits const& given)
{
    child_limits limits = given;
    if (limits.memory_bytes == 0) limits.memory_bytes = usual_child_memory();
    shared_with_child<child_report> const shared = shared_report();
    stderr_file const standard_error;
    child_report& report = shared.get();
    pid_t const parent = getpid();
    detail::started_child child(fork_child(
        [&] { run_child(run, check, limits, report, standard_error.descriptor(), parent); },
        limits.without));

    bool const in_time = wait_for_child(child, report, limits);
    std::optional<int> const status = child.end();

    child_end end;
    end.phase = report.phase.load();
    if (!in_time && end.phase == child_phase::starting)
        throw error("a child process for a trial run has not begun after " +
                        seconds_text(limits.begin_s),
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

} // namespace attune::inline ATTUNE_ABI::detail
