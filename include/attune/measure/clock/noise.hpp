// attune/measure/clock/noise.hpp - the machine's noise, and the processors that other programs held.
// SPDX-License-Identifier: MIT
// Source   proc_stat(5): the times of each processor, in ticks
// Bench    bench/measure/repeat.cpp --disturbed
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Statistics of the samples of a run with a known time: see machine_pace.
struct disturbance {
    double share = 0;        ///< share of samples that took at least 15 % longer than undisturbed
    double slowdown = 1;     ///< median factor of those samples
    std::size_t samples = 0; ///< number of all samples, plus trials that needed none
};

} // namespace detail

/// Ratios: 0.01 is 1 %.
struct machine_noise {
    double drift = 0; ///< later time of a run over its first time, minus 1
    /// Half the 95 % interval of the last comparison: smaller differences stay unresolved.
    double resolution = 0;
    /// Share of the trials with a slow neighbour: a run with a known time that took at least 15 %
    /// longer than undisturbed. `slowdown` is the median factor of these runs.
    double slow_share = 0;
    double slowdown = 1;
    /// Share of the time in which the tuning thread was ready but had no processor.
    double waited = 0;
    /// Mean number of this program's processors that other programs used during the tuning.
    double held = 0;
    std::size_t processors = 0; ///< processors that this program may use; 0: unknown, as is `held`
    std::uint32_t threads = 1;  ///< largest number of threads that a variant kept busy
    /// A contestant of the final that was not installed may be faster by this ratio.
    double unsure = 0;
    /// true: the tuning may have missed a faster variant and does not count as finished
    bool is_disturbed = false;

    /// Above this drift, times taken at different moments are not comparable.
    static constexpr double much_drift = 0.2;
    /// Above this resolution, a comparison in turns is undecided.
    static constexpr double coarse = 0.03;
    /// Above this ratio of `unsure`, the final is undecided.
    static constexpr double most_unsure = 0.05;
    /// With at least this share of slow samples and this slowdown, the times between the samples
    /// are not comparable, even after correction.
    static constexpr double much_slow_share = 0.25;
    static constexpr double much_slowdown = 1.25;
    /// With at least this number of lacking processors, times of several threads are not comparable
    /// with times of one.
    static constexpr double most_lacking = 0.25;

    /// Mean number of processors that a variant with several threads lacked. The run with a known
    /// time does not show the lack, because its one thread moves to a free processor.
    [[nodiscard]] constexpr double lacking() const noexcept
    {
        if (threads < 2 || processors == 0) return 0;
        double const left = static_cast<double>(processors) - held;
        double const wanted = static_cast<double>(threads < processors ? threads : processors);
        return wanted > left ? wanted - left : 0.0;
    }
};

namespace detail {

/// Returns true if the tuning should be repeated on a quieter machine.
[[nodiscard]] constexpr bool is_too_disturbed(machine_noise const& noise) noexcept
{
    return noise.unsure > machine_noise::most_unsure ||
           noise.lacking() >= machine_noise::most_lacking ||
           (noise.slow_share >= machine_noise::much_slow_share &&
            noise.slowdown >= machine_noise::much_slowdown);
}

/// A warning for users; empty if the machine was not disturbed.
[[nodiscard]] std::string disturbance_text(machine_noise const& noise);

/// @param first  time of a run at the beginning  @param later  of the same run at the end
/// @param ratio  of two runs timed in turns, with its interval
[[nodiscard]] machine_noise noise_of(measurement const& first, measurement const& later,
                                     measurement const& ratio) noexcept;

/// A warning about noise or drift; empty if there is none.
/// @param ratio  result of the deciding comparison
[[nodiscard]] std::string warning_of(machine_noise const& noise, measurement const& ratio);

/// Processor times at one moment. Two readings give the use between them.
struct processor_reading {
    std::vector<int> processors{}; ///< that this program may run on; empty: unknown
    double wall_s = 0;
    double busy_s =
        0;            ///< busy time of these processors since the machine started, for all programs
    double own_s = 0; ///< time of all threads of this process, and of its children that have ended
};

/// Reads the times of `processors`. Empty if the system does not report them, or if SIGCHLD is
/// ignored, which loses the time of ended children.
[[nodiscard]] processor_reading read_processors(std::vector<int> const& processors);

/// Mean number of processors that other programs held, from 0 to all; a fraction if they held one
/// for a part of the time. Empty if a reading is empty, or if less than 0.2 s (20 ticks of the
/// system) lies between them.
[[nodiscard]] std::optional<double> held_by_others(processor_reading const& first,
                                                   processor_reading const& later);

/// Ticks of these processors that were neither idle nor waiting for a disk, in the text of
/// /proc/stat. Empty if a processor has no line.
[[nodiscard]] std::optional<double> busy_ticks(std::string_view stat,
                                               std::span<int const> processors);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/clock/noise.ipp>
#endif
