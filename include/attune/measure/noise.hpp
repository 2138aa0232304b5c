// attune/measure/noise.hpp - how far the machine lets two times be told apart.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       one and the same run, timed at the beginning and at the end; a ratio measured in turns
// Out      two numbers, and a sentence when they are bad
// Source   own
// Depends  std only
// Tests    tests/measure/noise.cpp
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI {

/// Relative: 0.01 is 1 %.
struct machine_noise {
    double drift = 0; ///< later time of a run over its first, less 1
    /// Half the 95 % interval of the last comparison: what differs by less is not told apart.
    double resolution = 0;

    /// Beyond this, times taken at different moments do not say much.
    static constexpr double much_drift = 0.2;
    /// Beyond this, a comparison in turns does not say much.
    static constexpr double coarse = 0.03;
};

/// @param first  of a run at the beginning  @param later  of the same run at the end
/// @param ratio  of two runs in turns, with its interval
[[nodiscard]] inline machine_noise
noise_of(measurement const& first, measurement const& later, measurement const& ratio) noexcept
{
    return {later.value / first.value - 1, (ratio.high - ratio.low) / (2 * ratio.value)};
}

/// A warning; empty when there is nothing to warn of.
/// @param ratio  the comparison that decided
[[nodiscard]] inline std::string warning_of(machine_noise const& noise, measurement const& ratio)
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

} // namespace attune::inline ATTUNE_ABI
