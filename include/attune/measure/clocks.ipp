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
    return detail::read_clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

std::uint64_t system_clocks::waits() const noexcept
{
    rusage used{};
#ifdef RUSAGE_THREAD
    getrusage(RUSAGE_THREAD, &used);
#else
    getrusage(RUSAGE_SELF, &used);
#endif
    return static_cast<std::uint64_t>(used.ru_nvcsw);
}

} // namespace attune
