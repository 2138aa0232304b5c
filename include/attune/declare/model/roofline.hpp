// attune/declare/model/roofline.hpp - the least time of a network on a device.
// SPDX-License-Identifier: MIT
// Source   Williams, Waterman, Patterson, "Roofline", CACM 2009; the sum of both times: Gao et al.
//          2021 (DnnSAT), Sec. IV-C
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/network.hpp>

#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI::model {

/// The two peaks of a device.
struct roofline_device {
    std::string name;              ///< "Tesla P40"
    std::int64_t gflops_per_s = 1; ///< 1e9 floating-point operations per second
    std::int64_t gbytes_per_s = 1; ///< 1e9 bytes per second of its memory
    bool overlaps = true;          ///< a layer takes the longer of its two times; else their sum
};

/// The time of a network: a whole number of units, so that trees count bounds on it exactly.
struct network_time {
    quantity units;
    double seconds_per_unit = 1;

    /// The truth that the network takes at most, or at least, `seconds`. Bounds have a relative
    /// slack of 4 * 2^-52, so that units * seconds_per_unit meets both bounds. A bound beyond 64
    /// bits of units becomes the nearest end.
    /// Errors   attune::error: `seconds` is not a number
    [[nodiscard]] quantity at_most(double seconds) const;
    [[nodiscard]] quantity at_least(double seconds) const;
};

/// The sum over layers of operations / peak and bytes / bandwidth.
/// Errors   attune::error: a peak that is 0 or less, a time beyond 64 bits of units
[[nodiscard]] network_time time_on(network const& of, roofline_device const& device);

} // namespace attune::inline ATTUNE_ABI::model

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/model/roofline.ipp>
#endif
