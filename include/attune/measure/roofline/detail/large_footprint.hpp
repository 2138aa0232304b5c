// attune/measure/roofline/detail/large_footprint.hpp - how much memory a measurement may use.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <new>

namespace attune::inline ATTUNE_ABI::detail {

/// Bytes that all threads use together for arrays far larger than the caches: 192 MiB each up to
/// 1.5 GiB, or 24 MiB each if that is more; at most a quarter of the spare memory.
/// @param spare    bytes to spare
/// @param beyond   bytes that are far larger than the caches
/// Errors   std::bad_alloc: the result would be less than `beyond`
[[nodiscard]] inline double large_footprint(unsigned threads, double spare, double beyond)
{
    constexpr double mebibyte = 1 << 20;
    double const wanted = mebibyte * std::max(std::min(192.0 * threads, 1536.0), 24.0 * threads);
    double const most = 0.25 * spare;
    if (most < std::min(beyond, wanted)) throw std::bad_alloc();
    return std::min(wanted, most);
}

} // namespace attune::inline ATTUNE_ABI::detail
