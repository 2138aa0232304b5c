// attune/measure/roofline/roofline.hpp - how far a kernel is from what the machine can do at most.
// SPDX-License-Identifier: MIT
// Source   Williams, Waterman & Patterson 2009 (the roofline model); bandwidth by the triad of
//          McCalpin 1995
#pragma once

#include <attune/core/version.hpp>

#include <functional>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// What one call of a kernel has to do, whatever the variant.
struct work {
    double flops = 0;              ///< additions and multiplications, a fused one counts as two
    double bytes = 0;              ///< that must cross the memory bus: inputs once, outputs once
    bool double_precision = false; ///< which of the two peaks `flops` is held against
};

/// What a machine can do at most, by measurement. All per second.
struct machine_limits {
    double f32_flops = 0; ///< fused multiply-adds in registers, counted as two
    double f64_flops = 0;
    double bytes = 0;     ///< a triad over arrays of `footprint` bytes, reads and writes
    unsigned threads = 1; ///< that worked at once
    double footprint = 0; ///< bytes of all arrays; 0: far larger than the caches
    /// What measured them was compiled with optimisation and without a sanitizer; else they are too
    /// low.
    bool is_optimised = true;
};

/// Two measurements of one machine as one: whatever is higher was less disturbed.
void raise_to(machine_limits& limits, machine_limits const& others);

/// Where a kernel stands under the roofline.
struct roofline {
    /// What the work takes at the measured limits. Of memory, these are what a triad reaches: a
    /// variant that writes less than a third of what it moves can be a little faster.
    double least_s = 0;
    double fraction = 0;       ///< least_s over the measured time; 1 is the roof
    bool memory_bound = false; ///< the bandwidth, not the arithmetic, sets least_s
};

/// @param elapsed_s  > 0
[[nodiscard]] inline roofline
roofline_of(machine_limits const& machine, work const& done, double elapsed_s)
{
    double const peak = done.double_precision ? machine.f64_flops : machine.f32_flops;
    double const arithmetic_s = done.flops / peak;
    double const memory_s = done.bytes / machine.bytes;
    bool const memory_bound = memory_s > arithmetic_s;
    double const least_s = memory_bound ? memory_s : arithmetic_s;
    return {least_s, least_s / elapsed_s, memory_bound};
}

/// "0.62 of the roofline (memory bound)".
[[nodiscard]] std::string text_of(roofline const& where);

/// Measures this machine: the highest of nine rounds. Memory that a thread works on is filled by
/// that thread; starting threads is not part of a round.
/// @param threads    how many work at once, >= 1; on the processors that the calling thread may use
/// @param footprint  bytes that the arrays of the triad take together: what fits into caches is
///                   moved faster. 0: far larger than the caches
/// Cost     about 0.3 s; while the bandwidth of the memory is measured, 192 MiB for one thread and
///          1.5 GiB for eight and more, or 24 MiB for each where that is more, but never above a
///          quarter of the memory to spare
/// Errors   std::bad_alloc, also where a quarter of the memory to spare is not far larger than the
///          caches; std::system_error: the system does not start so many threads
[[nodiscard]] machine_limits measure_machine(unsigned threads = 1, double footprint = 0);

/// How a machine is measured; tests hand in a script.
using machine_measurement = std::function<machine_limits(unsigned threads, double footprint)>;

/// The limits that `path` holds for this processor, number of threads and footprint; measured, and
/// added to the file, when it holds none. A file that cannot be read or written costs a
/// measurement, no more. Limits that were measured by slowed code, see `is_optimised`, are never
/// added.
/// @param device  name of the processor
/// Errors   those of `measure`
[[nodiscard]] machine_limits known_machine(std::string const& path,
                                           std::string const& device,
                                           unsigned threads = 1,
                                           double footprint = 0,
                                           machine_measurement const& measure = measure_machine);

/// The same, but measured whatever the file holds: where a run was faster than the limits in the
/// file allow, these were disturbed when they were measured. Added to the file where one of them is
/// higher. @return  the higher ones
[[nodiscard]] machine_limits
machine_measured_anew(std::string const& path,
                      std::string const& device,
                      unsigned threads = 1,
                      double footprint = 0,
                      machine_measurement const& measure = measure_machine);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/roofline/roofline.ipp>
#endif
