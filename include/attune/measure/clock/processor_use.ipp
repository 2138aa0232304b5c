// attune/measure/clock/processor_use.ipp - reads /proc/stat, behind processor_use.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/measure/clock/processor_use.hpp>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <sys/time.h>
#include <system_error>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::optional<double> busy_ticks(std::string_view stat,
                                               std::span<int const> processors)
{
    // cpuN user nice system idle iowait irq softirq steal guest guest_nice; guests are in user.
    constexpr int idle = 3;
    constexpr int waits_for_disk = 4;
    constexpr int columns = 8;
    std::uint64_t sum = 0;
    std::size_t found = 0;
    while (!stat.empty()) {
        std::string_view line = stat.substr(0, stat.find('\n'));
        stat.remove_prefix(std::min(stat.size(), line.size() + 1));
        if (!line.starts_with("cpu")) continue;
        char const* at = line.data() + 3;
        char const* const end = line.data() + line.size();
        int number = -1;
        auto const read = std::from_chars(at, end, number);
        if (read.ec != std::errc{}) continue; // the first line, the sum of all
        if (std::find(processors.begin(), processors.end(), number) == processors.end()) continue;
        at = read.ptr;
        int column = 0;
        for (; column != columns; ++column) {
            std::uint64_t ticks = 0;
            while (at != end && *at == ' ')
                ++at;
            auto const next = std::from_chars(at, end, ticks);
            if (next.ec != std::errc{}) break;
            at = next.ptr;
            if (column != idle && column != waits_for_disk) sum += ticks;
        }
        if (column > waits_for_disk) ++found;
    }
    if (found == 0 || found != processors.size()) return std::nullopt;
    return static_cast<double>(sum);
}

[[nodiscard]] inline double used_s(int who) noexcept
{
    rusage used{};
    if (getrusage(who, &used) != 0) return 0;
    auto const seconds = [](timeval const& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// False where children that end leave no trace of their time.
[[nodiscard]] inline bool counts_children() noexcept
{
    struct sigaction how{};
    return sigaction(SIGCHLD, nullptr, &how) == 0 && (how.sa_flags & SA_NOCLDWAIT) == 0 &&
           ((how.sa_flags & SA_SIGINFO) != 0 || how.sa_handler != SIG_IGN);
}

ATTUNE_INLINE processor_reading read_processors(std::vector<int> const& processors)
{
    if (!counts_children()) return {};
    std::ifstream file("/proc/stat", std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    auto const ticks = busy_ticks(text, processors);
    long const ticks_per_s = ::sysconf(_SC_CLK_TCK);
    if (!ticks || ticks_per_s <= 0) return {};
    return {processors, steady_seconds(), *ticks / static_cast<double>(ticks_per_s),
            used_s(RUSAGE_SELF) + used_s(RUSAGE_CHILDREN)};
}

ATTUNE_INLINE std::optional<double> held_by_others(processor_reading const& first,
                                                   processor_reading const& later)
{
    constexpr double shortest_s = 0.2;
    double const wall_s = later.wall_s - first.wall_s;
    if (first.processors.empty() || later.processors != first.processors || wall_s < shortest_s)
        return std::nullopt;
    double const others_s = (later.busy_s - first.busy_s) - (later.own_s - first.own_s);
    return std::clamp(others_s / wall_s, 0.0, static_cast<double>(first.processors.size()));
}

} // namespace attune::inline ATTUNE_ABI::detail
