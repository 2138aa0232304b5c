// attune/declare/model/roofline.ipp - times in whole units of one device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/model/roofline.hpp>

#include <cmath>
#include <cstdio>
#include <numeric>

namespace attune::inline ATTUNE_ABI::model {

ATTUNE_INLINE quantity network_time::at_most(double seconds) const
{
    return units <= static_cast<std::int64_t>(std::floor(seconds / seconds_per_unit));
}

ATTUNE_INLINE quantity network_time::at_least(double seconds) const
{
    return units >= static_cast<std::int64_t>(std::ceil(seconds / seconds_per_unit));
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
        all += step.gate * (device.overlaps ? max(computing, moving) : computing + moving);
    }
    double const seconds =
        static_cast<double>(shared) /
        (static_cast<double>(device.gflops_per_s) * static_cast<double>(device.gbytes_per_s) * 1e9);
    char unit[32];
    std::snprintf(unit, sizeof unit, " in %.3g s", seconds);
    return {all.called("time of " + of.name() + " on " + device.name + unit), seconds};
}

} // namespace attune::inline ATTUNE_ABI::model
