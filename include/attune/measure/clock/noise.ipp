// attune/measure/clock/noise.ipp - warnings about noise as text; reads /proc/stat.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/noise.hpp>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>
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
        if (read.ec != std::errc{}) continue; // the first line is the sum of all
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

/// Returns false if the system drops the time of children that end.
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

ATTUNE_INLINE std::string disturbance_text(machine_noise const& noise)
{
    if (!noise.is_disturbed) return {};
    std::string reasons;
    auto const add = [&reasons](std::string const& reason) {
        reasons += (reasons.empty() ? ": " : ", ") + reason;
    };
    if (noise.slow_share >= machine_noise::much_slow_share)
        add(detail::formatted("a run of known time took %.2f times as long", noise.slowdown) +
            detail::formatted(" beside %.0f %% of the trials", 100 * noise.slow_share));
    if (noise.unsure > machine_noise::most_unsure)
        add(detail::formatted("what took part in the final may be faster by %.0f %%",
                              100 * noise.unsure));
    if (noise.lacking() >= machine_noise::most_lacking)
        add(detail::formatted("other programs held %.1f", noise.held) +
            detail::formatted(" of %.0f processors", static_cast<double>(noise.processors)) +
            detail::formatted(" while variants ran with %.0f threads",
                              static_cast<double>(noise.threads)));
    if (noise.waited > 0.05)
        add(detail::formatted("other programs held its processor for %.0f %% of the time",
                              100 * noise.waited));
    return "the machine was disturbed while tuning" + reasons +
           "; this tuning does not count as finished: tune again when the machine is quiet";
}

ATTUNE_INLINE machine_noise noise_of(measurement const& first, measurement const& later,
                                     measurement const& ratio) noexcept
{
    machine_noise out;
    out.drift = later.value / first.value - 1;
    out.resolution = (ratio.high - ratio.low) / (2 * ratio.value);
    return out;
}

ATTUNE_INLINE std::string warning_of(machine_noise const& noise, measurement const& ratio)
{
    bool const is_open = ratio.low <= 1 && ratio.high >= 1;
    if (is_open && noise.resolution > machine_noise::coarse)
        return detail::formatted(
            "the machine is too noisy to tell: differences below %.0f %% do not show; stop other "
            "programs, or tune with a larger budget",
            100 * noise.resolution);
    if (__builtin_fabs(noise.drift) > machine_noise::much_drift)
        return detail::formatted(
                   "the machine's speed changed while tuning: the default took %.0f %% ",
                   100 * __builtin_fabs(noise.drift)) +
               (noise.drift > 0 ? "longer" : "less") +
               " at the end; only what was compared in turns is certain";
    return {};
}

} // namespace attune::inline ATTUNE_ABI::detail
