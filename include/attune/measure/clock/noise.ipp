// attune/measure/clock/noise.ipp - warnings about noise as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/noise.hpp>

namespace attune::inline ATTUNE_ABI::detail {

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
