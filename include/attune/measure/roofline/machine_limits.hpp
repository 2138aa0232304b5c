// attune/measure/roofline/machine_limits.hpp - the measured limits of this machine and of one core.
// SPDX-License-Identifier: MIT
// Source   bandwidth by the triad of McCalpin 1995
//
// A lower bound for the time of a configuration needs rates that no code exceeds; a roofline needs
// rates that good code reaches. For the peaks of a core, additions therefore run beside
// multiply-adds, because some processors have separate units for additions. Loads come from the
// first cache.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/roofline/roofline.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Measured peaks of a machine, per second.
struct machine_limits {
    double f32_flops = 0; ///< fused multiply-adds in registers, counted as two
    double f64_flops = 0;
    double bytes = 0;     ///< a triad over arrays of `footprint` bytes, reads and writes
    unsigned threads = 1; ///< number of threads in the measurement
    double footprint = 0; ///< bytes of all arrays; 0: far larger than the caches
    /// True: measured by code with optimisation and without a sanitizer. False: the peaks are too
    /// low.
    bool is_optimised = true;
};

/// Takes the higher of two measurements for each peak, because disturbances only lower them.
void raise_to(machine_limits& limits, machine_limits const& others);

/// @param elapsed_s  > 0
[[nodiscard]] inline roofline roofline_of(machine_limits const& machine, work const& done,
                                          double elapsed_s)
{
    double const peak = done.double_precision ? machine.f64_flops : machine.f32_flops;
    double const arithmetic_s = done.flops / peak;
    double const memory_s = done.bytes / machine.bytes;
    bool const memory_bound = memory_s > arithmetic_s;
    double const least_s = memory_bound ? memory_s : arithmetic_s;
    return {least_s, least_s / elapsed_s, memory_bound, done, peak, machine.bytes};
}

/// Measures this machine: the highest of nine rounds. Each thread fills the memory it works on;
/// starting threads is not timed.
/// @param threads    number of threads, >= 1, on the processors that the calling thread may use
/// @param footprint  bytes of the triad's arrays together, which matter because caches are faster.
///                   0: far larger than the caches
/// Cost     about 0.3 s. Memory for the bandwidth: 192 MiB for one thread, 1.5 GiB for eight and
///          more, or 24 MiB per thread if that is more; at most a quarter of the spare memory
/// Errors   std::bad_alloc, also if a quarter of the spare memory is not far larger than the
///          caches; std::system_error: the system does not start that many threads
[[nodiscard]] machine_limits measure_machine(unsigned threads = 1, double footprint = 0);

/// Measures a machine; tests pass a script.
using machine_measurement = std::function<machine_limits(unsigned threads, double footprint)>;

/// The limits in file `path` for this processor, number of threads and footprint. If the file has
/// none, measures and adds them. An unreadable file causes a measurement; an unwritable one gets no
/// line. Limits of unoptimised code (see `is_optimised`) are not added.
/// @param device  name of the processor
/// Errors   those of `measure`
[[nodiscard]] machine_limits known_machine(std::string const& path, std::string const& device,
                                           unsigned threads = 1, double footprint = 0,
                                           machine_measurement const& measure = measure_machine);

/// Measures even if the file has limits. Use it after a run that was faster than the limits allow:
/// a disturbance must have lowered the limits. Adds the new limits if one is higher.
/// @return  the higher of old and new limits
[[nodiscard]] machine_limits
machine_measured_anew(std::string const& path, std::string const& device, unsigned threads = 1,
                      double footprint = 0, machine_measurement const& measure = measure_machine);

/// Widths of vectors: one element, then 16, 32 and 64 bytes.
inline constexpr std::size_t vector_widths = 4;

/// Measured peaks of one core, per second, by width; 0 for a width that the processor lacks.
struct core_peaks {
    std::array<double, vector_widths> f32_flops{};
    std::array<double, vector_widths> f64_flops{};
    std::array<double, vector_widths> f32_sums{}; ///< a fused product and sum counts once
    std::array<double, vector_widths> f64_sums{};
    std::array<double, vector_widths> load_bytes{}; ///< from the first cache
    /// False: the measuring loops are slowed (see machine_limits), or do not use the widest vectors
    /// of this processor. Other code may exceed the peaks then.
    bool is_optimised = true;
};

/// Takes the higher of two measurements for each peak, because disturbances only lower them.
void raise_to(core_peaks& peaks, core_peaks const& others);

/// Measures one core: each peak is the highest of twenty rounds, in five separate groups.
/// Cost   about 0.1 s
[[nodiscard]] core_peaks measure_core_peaks();

/// Returns true if Linux gives these processors equal highest frequencies and capacities: the peaks
/// of one core then bound all of them. False if these are unknown.
/// @param folder  folder of the processors; tests pass another
[[nodiscard]] bool cores_are_alike(std::vector<int> const& processors,
                                   std::string const& folder = "/sys/devices/system/cpu");

/// Measures a core; tests pass a script.
using core_measurement = std::function<core_peaks()>;

/// The highest peaks in file `path` for this processor. If the file has none, or `anew` is true,
/// measures them and adds them if one is higher. An unreadable file causes a measurement; an
/// unwritable one gets no line. Peaks of unoptimised code are not added.
/// @param device  name of the processor
[[nodiscard]] core_peaks known_core_peaks(std::string const& path, std::string const& device,
                                          bool anew = false,
                                          core_measurement const& measure = measure_core_peaks);

/// The resource that bounds a time from below.
enum class bound_by : std::uint8_t { nothing, flops, sums, loads, bytes };

/// "flops", "sums", "loads", "bytes".
[[nodiscard]] char const* name_of(bound_by what) noexcept;

struct least_time {
    double seconds = 0; ///< 0: unknown; finite
    bound_by by = bound_by::nothing;
};

/// The least seconds of `done` on `threads` cores: the longest of its flops, its sums, its loads,
/// and its bytes beyond the caches. The peak of several cores is the peak of one core times their
/// number, an upper bound. A peak of 0 gives no bound, and negative, infinite or NaN work gives
/// none.
/// @param threads      >= 1
/// @param bytes_per_s  memory bandwidth of this number of threads; 0: unknown
/// @param cached       bytes that all caches keep from one call to the next
[[nodiscard]] least_time least_time_of(core_peaks const& peaks, work const& done, unsigned threads,
                                       double bytes_per_s, double cached) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/roofline/machine_limits.ipp>
#endif
