// attune/measure/roofline/core_peaks.hpp - what one core can do at most, by the width of its vectors.
// SPDX-License-Identifier: MIT
//
// A lower bound for the time of a configuration needs rates that no code exceeds, where a roofline
// needs those that good code reaches. Hence multiply-adds beside additions, which have units of
// their own on some processors, and loads from the first cache.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/roofline/machine_limits.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Widths of vectors: one element, then 16, 32 and 64 bytes.
inline constexpr std::size_t vector_widths = 4;

/// Measured peaks of one core, per second, by width; 0 for a width that the processor lacks.
struct core_peaks {
    std::array<double, vector_widths> f32_flops{};
    std::array<double, vector_widths> f64_flops{};
    std::array<double, vector_widths> f32_sums{}; ///< a fused product and sum counts once
    std::array<double, vector_widths> f64_sums{};
    std::array<double, vector_widths> load_bytes{}; ///< from the first cache
    /// False: the loops that measure are slowed (see machine_limits), or were not written for the
    /// widest vectors of this processor; code may do more.
    bool is_optimised = true;
};

/// Takes the higher of two measurements for each peak, because disturbances only lower them.
void raise_to(core_peaks& peaks, core_peaks const& others);

/// Measures one core: for each peak the highest of twenty rounds, in five groups that are apart.
/// Cost   about 0.1 s
[[nodiscard]] core_peaks measure_core_peaks();

/// Whether Linux gives these processors equal highest frequencies and capacities, so that the peaks
/// of one bound all of them. False where none is known.
/// @param folder  of the processors; tests pass another
[[nodiscard]] bool cores_are_alike(std::vector<int> const& processors,
                                   std::string const& folder = "/sys/devices/system/cpu");

/// Measures a core; tests pass a script.
using core_measurement = std::function<core_peaks()>;

/// The highest peaks in file `path` for this processor. If the file has none, or `anew` is true,
/// they are measured, and added where one is higher. A file that cannot be read or written only
/// leads to a measurement. Peaks of unoptimised code are not added.
/// @param device  name of the processor
[[nodiscard]] core_peaks known_core_peaks(std::string const& path, std::string const& device,
                                          bool anew = false,
                                          core_measurement const& measure = measure_core_peaks);

/// What bounds a time from below.
enum class bound_by : std::uint8_t { nothing, flops, sums, loads, bytes };

/// "flops", "sums", "loads", "bytes".
[[nodiscard]] char const* name_of(bound_by what) noexcept;

/// The least time of a call.
struct least_time {
    double seconds = 0; ///< 0: unknown; finite
    bound_by by = bound_by::nothing;
};

/// Seconds that `done` takes at least on `threads` cores: the longest of its flops, its sums, its
/// loads, and what the caches cannot keep of its bytes. Peaks of several cores are those of one
/// times their number, which is no less than what they reach together. A peak of 0, and work that
/// is negative, infinite or no number, bounds nothing.
/// @param threads      >= 1
/// @param bytes_per_s  of the memory, for so many threads; 0: unknown
/// @param cached       bytes that all caches keep from one call to the next
[[nodiscard]] least_time least_time_of(core_peaks const& peaks, work const& done, unsigned threads,
                                       double bytes_per_s, double cached) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/roofline/core_peaks.ipp>
#endif
