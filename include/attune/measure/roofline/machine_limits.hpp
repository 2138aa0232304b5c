// attune/measure/roofline/machine_limits.hpp - what this machine can do at most, measured.
// SPDX-License-Identifier: MIT
// Source   bandwidth by the triad of McCalpin 1995
// tested by measure/roofline/roofline.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/roofline/roofline.hpp>

#include <functional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Measured peaks of a machine, per second.
struct machine_limits {
    double f32_flops = 0; ///< fused multiply-adds in registers, counted as two
    double f64_flops = 0;
    double bytes = 0;     ///< a triad over arrays of `footprint` bytes, reads and writes
    unsigned threads = 1; ///< number of threads in the measurement
    double footprint = 0; ///< bytes of all arrays; 0: far larger than the caches
    /// True: measured by code with optimisation and without a sanitizer; else the peaks are too
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
/// @param footprint  bytes of the triad's arrays together, because arrays that fit into caches are
///                   faster. 0: far larger than the caches
/// Cost     about 0.3 s; for the memory bandwidth 192 MiB for one thread and 1.5 GiB for eight and
///          more, or 24 MiB per thread if that is more, but at most a quarter of the spare memory
/// Errors   std::bad_alloc, also when a quarter of the spare memory is not far larger than the
///          caches; std::system_error: the system does not start so many threads
[[nodiscard]] machine_limits measure_machine(unsigned threads = 1, double footprint = 0);

/// Measures a machine; tests pass a script.
using machine_measurement = std::function<machine_limits(unsigned threads, double footprint)>;

/// The limits in file `path` for this processor, number of threads and footprint. If the file has
/// none, they are measured and added. A file that cannot be read or written only leads to a
/// measurement. Limits of unoptimised code (see `is_optimised`) are not added.
/// @param device  name of the processor
/// Errors   those of `measure`
[[nodiscard]] machine_limits known_machine(std::string const& path, std::string const& device,
                                           unsigned threads = 1, double footprint = 0,
                                           machine_measurement const& measure = measure_machine);

/// Measures even if the file has limits: for a run that was faster than the limits allow, which
/// must have been disturbed. Adds the new limits when one of them is higher.
/// @return  the higher of old and new limits
[[nodiscard]] machine_limits
machine_measured_anew(std::string const& path, std::string const& device, unsigned threads = 1,
                      double footprint = 0, machine_measurement const& measure = measure_machine);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/roofline/machine_limits.ipp>
#endif
