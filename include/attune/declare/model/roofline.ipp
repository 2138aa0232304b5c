// attune/declare/model/roofline.ipp - times in whole units of one device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/model/roofline.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

namespace attune::inline ATTUNE_ABI::detail {

/// `seconds` in units times 1 + `slack`, not rounded.
[[nodiscard]] inline double units_of(double seconds, double seconds_per_unit, double slack)
{
    if (std::isnan(seconds))
        throw error("a limit of a time is not a number", "nan seconds", "give seconds");
    return seconds / seconds_per_unit * (1 + slack);
}

/// The whole number, or the end of 64 bits that is nearest to it.
[[nodiscard]] inline std::int64_t whole_units(double units)
{
    if (units >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
    if (units <= -0x1p63) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(units);
}

/// Above the error of the three roundings in a time made of units and divided back.
inline constexpr double time_slack = 4 * std::numeric_limits<double>::epsilon();

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI::model {

ATTUNE_INLINE quantity network_time::at_most(double seconds) const
{
    return units <= detail::whole_units(std::floor(
                        detail::units_of(seconds, seconds_per_unit, detail::time_slack)));
}

ATTUNE_INLINE quantity network_time::at_least(double seconds) const
{
    return units >= detail::whole_units(std::ceil(
                        detail::units_of(seconds, seconds_per_unit, -detail::time_slack)));
}

ATTUNE_INLINE network_time time_on(network const& of, roofline_device const& device)
{
    if (device.gflops_per_s <= 0 || device.gbytes_per_s <= 0)
        throw error("the peaks of a device must be above 0", device.name, "see its data sheet");
    // F / (G 1e9) = F (B / g) u and N / (B 1e9) = N (G / g) u with u = g / (G B 1e9).
    std::int64_t const shared = std::gcd(device.gflops_per_s, device.gbytes_per_s);
    std::int64_t const per_flop = device.gbytes_per_s / shared;
    std::int64_t const per_byte = device.gflops_per_s / shared;
    quantity all = 0;
    for (detail::network_step const& step : of.graph().steps) {
        quantity const computing = per_flop * detail::flops_of(step);
        quantity const moving = per_byte * detail::bytes_of(of.graph(), step);
        all +=
            detail::gated(step.gate, device.overlaps ? max(computing, moving) : computing + moving);
    }
    double const seconds =
        static_cast<double>(shared) /
        (static_cast<double>(device.gflops_per_s) * static_cast<double>(device.gbytes_per_s) * 1e9);
    char unit[32];
    std::snprintf(unit, sizeof unit, " in %.3g s", seconds);
    return {all.called("time of " + of.name() + " on " + device.name + unit), seconds};
}

} // namespace attune::inline ATTUNE_ABI::model
