// attune/measure/clock/clocks.ipp - the clocks of this machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>

#include <ctime>
#include <sys/resource.h>
#ifdef __linux__
#include <charconv>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <memory>
#include <sys/types.h>
#include <system_error>
#endif

namespace attune::inline ATTUNE_ABI {

namespace detail {

ATTUNE_INLINE double read_clock_s(clockid_t clock) noexcept
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Updates the CPU clock of the process. Linux counts threads on other processors only up to their
/// last scheduler tick, so a short run may miss a second busy thread. Reading a thread's own clock
/// updates it.
inline void update_thread_clocks() noexcept
{
#ifdef __linux__
    struct closer {
        void operator()(DIR* opened) const noexcept { ::closedir(opened); }
    };
    std::unique_ptr<DIR, closer> const threads(::opendir("/proc/self/task"));
    if (!threads) return;
    while (dirent const* const entry = ::readdir(threads.get())) {
        char const* const end = entry->d_name + std::strlen(entry->d_name);
        pid_t id = 0;
        if (std::from_chars(entry->d_name, end, id).ptr != end) continue;
        // Linux encodes the CPU clock of a thread id like this; POSIX has such a clock for
        // pthread_t only.
        constexpr unsigned scheduled_time_of_thread = 6;
        auto const clock =
            static_cast<clockid_t>((~static_cast<unsigned>(id) << 3) | scheduled_time_of_thread);
        static_cast<void>(read_clock_s(clock));
    }
#endif
}

} // namespace detail

ATTUNE_INLINE double system_clocks::wall_s() const noexcept { return detail::steady_seconds(); }

ATTUNE_INLINE double system_clocks::thread_cpu_s() const noexcept
{
    return detail::read_clock_s(CLOCK_THREAD_CPUTIME_ID);
}

ATTUNE_INLINE double system_clocks::process_cpu_s() const noexcept
{
    detail::update_thread_clocks();
    if (!background_cpu_s) return detail::read_clock_s(CLOCK_PROCESS_CPUTIME_ID);
    // Background threads work between the two readings: repeat if this thread was interrupted.
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

/// Resource usage of the calling thread, or of the process if the system has none per thread.
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

ATTUNE_INLINE std::uint64_t system_clocks::waits() const noexcept
{
    return static_cast<std::uint64_t>(detail::usage_of_thread().ru_nvcsw);
}

ATTUNE_INLINE std::uint64_t system_clocks::preemptions() const noexcept
{
    return static_cast<std::uint64_t>(detail::usage_of_thread().ru_nivcsw);
}

namespace detail {

ATTUNE_INLINE double waited_for_processor_s()
{
#ifdef __linux__
    // Content: ns on a processor, ns ready without a processor, times on a processor.
    std::unique_ptr<FILE, int (*)(FILE*)> const file(::fopen("/proc/thread-self/schedstat", "re"),
                                                     &::fclose);
    std::array<char, 128> text{};
    if (!file || std::fgets(text.data(), static_cast<int>(text.size()), file.get()) == nullptr)
        return 0;
    char const* const end = text.data() + std::strlen(text.data());
    std::uint64_t ran = 0;
    std::uint64_t waited = 0;
    auto const first = std::from_chars(text.data(), end, ran);
    if (first.ec != std::errc{} || first.ptr == end) return 0;
    if (std::from_chars(first.ptr + 1, end, waited).ec != std::errc{}) return 0;
    return 1e-9 * static_cast<double>(waited);
#else
    return 0;
#endif
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
