// attune/measure/clock/noise.hpp - how much a machine's noise limits comparisons of times.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Statistics of the samples of a run with a known time: see machine_pace.
struct disturbance {
    double share = 0;        ///< share of samples that took at least 15 % longer than undisturbed
    double slowdown = 1;     ///< median factor of those samples
    std::size_t samples = 0; ///< number of all samples, and of trials that needed none
};

} // namespace detail

/// Ratios: 0.01 is 1 %.
struct machine_noise {
    double drift = 0; ///< later time of a run over its first time, minus 1
    /// Half the 95 % interval of the last comparison: smaller differences cannot be resolved.
    double resolution = 0;
    /// Share of the trials beside which a run with a known time took at least 15 % longer than
    /// undisturbed, and the median factor of these.
    double slow_share = 0;
    double slowdown = 1;
    /// Share of the time in which the tuning thread was ready and had no processor.
    double waited = 0;
    /// Mean number of this program's processors that other programs used during the tuning.
    double held = 0;
    std::size_t processors = 0; ///< number that this program may use; 0: unknown, as is `held`
    std::uint32_t threads = 1;  ///< largest number of threads that a variant kept busy
    /// A contestant of the final that was not installed may be faster by this ratio.
    double unsure = 0;
    /// True: a faster variant may have been missed, and the tuning does not count as finished.
    bool is_disturbed = false;

    /// Above this drift, times taken at different moments are not comparable.
    static constexpr double much_drift = 0.2;
    /// Above this resolution, a comparison in turns does not decide.
    static constexpr double coarse = 0.03;
    /// Above this, the final does not decide.
    static constexpr double most_unsure = 0.05;
    /// From this share of slow samples and this slowdown on, times between them are neither
    /// comparable nor corrected well enough.
    static constexpr double much_slow_share = 0.25;
    static constexpr double much_slowdown = 1.25;
    /// From this number of lacking processors on, times of several threads are not comparable with
    /// those of one.
    static constexpr double most_lacking = 0.25;

    /// Mean number of processors that a variant with several threads lacked. The run with a known
    /// time does not show this: its one thread moves to a free processor.
    [[nodiscard]] constexpr double lacking() const noexcept
    {
        if (threads < 2 || processors == 0) return 0;
        double const left = static_cast<double>(processors) - held;
        double const wanted = static_cast<double>(threads < processors ? threads : processors);
        return wanted > left ? wanted - left : 0.0;
    }
};

namespace detail {

/// True when the tuning should be repeated on a quieter machine.
[[nodiscard]] constexpr bool is_too_disturbed(machine_noise const& noise) noexcept
{
    return noise.unsure > machine_noise::most_unsure ||
           noise.lacking() >= machine_noise::most_lacking ||
           (noise.slow_share >= machine_noise::much_slow_share &&
            noise.slowdown >= machine_noise::much_slowdown);
}

/// A warning for users; empty when the machine was not disturbed.
[[nodiscard]] std::string disturbance_text(machine_noise const& noise);

/// @param first  time of a run at the beginning  @param later  of the same run at the end
/// @param ratio  of two runs timed in turns, with its interval
[[nodiscard]] machine_noise noise_of(measurement const& first, measurement const& later,
                                     measurement const& ratio) noexcept;

/// A warning about noise or drift; empty when there is none.
/// @param ratio  result of the deciding comparison
[[nodiscard]] std::string warning_of(machine_noise const& noise, measurement const& ratio);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/clock/noise.ipp>
#endif
