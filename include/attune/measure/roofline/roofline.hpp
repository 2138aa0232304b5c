// attune/measure/roofline/roofline.hpp - a kernel's time relative to the limits of the machine.
// SPDX-License-Identifier: MIT
// Source   Williams, Waterman & Patterson 2009 (the roofline model); bandwidth by the triad of
//          McCalpin 1995
#pragma once

#include <attune/core/version.hpp>

#include <functional>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// The work of one call of a kernel. The report's roofline reads the first three members, which are
/// best equal for all variants. The others say what one configuration needs at least; a
/// configuration that cannot be faster than the best so far by all of these is not tried.
struct work {
    double flops = 0;              ///< additions and multiplications; a fused one counts as two
    double bytes = 0;              ///< across the memory bus: every input and every output once
    bool double_precision = false; ///< the peak for `flops`: f64_flops, else f32_flops
    unsigned threads = 0;          ///< that may share the work; 0: all processors, if it has any
    /// Additions in an order that the code fixes. What `flops` counts beyond these is not limited
    /// by their vectors.
    double sums = 0;
    /// The widest vectors of sums: the bytes of one, times the number of independent partial sums;
    /// 0: the processor's widest.
    unsigned sum_bytes = 0;
    /// Bytes that the code loads into registers, from wherever they are: no cache saves a load. One
    /// element beside vectors of 16 bytes and more takes as long as one of them, so counts 16.
    double loads = 0;
    unsigned load_bytes = 0; ///< the widest load; 0: the processor's widest
};

namespace detail {

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

} // namespace detail

/// A kernel's time relative to the roofline.
struct roofline {
    /// Seconds of the work at the measured limits. The memory limit is that of a triad: a variant
    /// that writes less than a third of the bytes it moves can be a little faster.
    double least_s = 0;
    double fraction = 0;       ///< least_s over the measured time; 1: at the roof
    bool memory_bound = false; ///< true: memory bandwidth sets least_s; false: arithmetic
    work of_call{};            ///< what the kernel states; zeros: unknown
    double flops_per_s = 0;    ///< the measured limit of arithmetic; 0: unknown
    double bytes_per_s = 0;    ///< that of the memory
};

namespace detail {

/// @param elapsed_s  > 0
[[nodiscard]] inline roofline
roofline_of(machine_limits const& machine, work const& done, double elapsed_s)
{
    double const peak = done.double_precision ? machine.f64_flops : machine.f32_flops;
    double const arithmetic_s = done.flops / peak;
    double const memory_s = done.bytes / machine.bytes;
    bool const memory_bound = memory_s > arithmetic_s;
    double const least_s = memory_bound ? memory_s : arithmetic_s;
    return {least_s, least_s / elapsed_s, memory_bound, done, peak, machine.bytes};
}

} // namespace detail

/// "0.62 of the roofline (memory bound)".
[[nodiscard]] std::string text_of(roofline const& where);

namespace detail {

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
[[nodiscard]] machine_limits known_machine(std::string const& path,
                                           std::string const& device,
                                           unsigned threads = 1,
                                           double footprint = 0,
                                           machine_measurement const& measure = measure_machine);

/// Measures even if the file has limits: for a run that was faster than the limits allow, which
/// must have been disturbed. Adds the new limits when one of them is higher.
/// @return  the higher of old and new limits
[[nodiscard]] machine_limits
machine_measured_anew(std::string const& path,
                      std::string const& device,
                      unsigned threads = 1,
                      double footprint = 0,
                      machine_measurement const& measure = measure_machine);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/roofline/roofline.ipp>
#endif
