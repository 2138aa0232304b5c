// attune/measure/clocks.ipp - the clocks of this machine, behind clocks.hpp.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       see clocks.hpp
// Out      definitions for one translation unit
// Source   own
// Depends  POSIX clock_gettime, getrusage (RUSAGE_THREAD where there is one)
// Tests    tests/measure/clocks.cpp
#pragma once

#include <attune/measure/clocks.hpp>

#include <ctime>
#include <sys/resource.h>

namespace attune {

namespace detail {

[[nodiscard]] inline double read_clock_s(clockid_t clock) noexcept
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace detail

double system_clocks::wall_s() const noexcept { return detail::read_clock_s(CLOCK_MONOTONIC); }

double system_clocks::thread_cpu_s() const noexcept
{
    return detail::read_clock_s(CLOCK_THREAD_CPUTIME_ID);
}

double system_clocks::process_cpu_s() const noexcept
{
    if (!background_cpu_s) return detail::read_clock_s(CLOCK_PROCESS_CPUTIME_ID);
    // The background works on between two readings: once more if this thread was interrupted there.
    constexpr double at_once_s = 20e-6;
    double before_s = background_cpu_s();
    for (int attempts_left = 8;; --attempts_left) {
        double const process_s = detail::read_clock_s(CLOCK_PROCESS_CPUTIME_ID);
        double const after_s = background_cpu_s();
        if (after_s - before_s < at_once_s || attempts_left == 0)
            return process_s - 0.5 * (before_s + after_s);
        before_s = after_s;
    }
}

namespace detail {

/// What the system has noted of the calling thread; of the process where threads are not told
/// apart.
[[nodiscard]] inline rusage usage_of_thread() noexcept
{
    rusage used{};
#ifdef RUSAGE_THREAD
    getrusage(RUSAGE_THREAD, &used);
#else
    getrusage(RUSAGE_SELF, &used);
#endif
    return used;
}

} // namespace detail

std::uint64_t system_clocks::waits() const noexcept
{
    return static_cast<std::uint64_t>(detail::usage_of_thread().ru_nvcsw);
}

std::uint64_t system_clocks::preemptions() const noexcept
{
    return static_cast<std::uint64_t>(detail::usage_of_thread().ru_nivcsw);
}

} // namespace attune
