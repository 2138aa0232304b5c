// attune/measure/roofline.hpp - how far a kernel is from what the machine can do at most.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       the work of one call; the time it took
// Out      its time over the least time possible, and what limits it
// Source   Williams, Waterman & Patterson 2009 (the roofline model); bandwidth by the triad of
//          McCalpin 1995
// Depends  std only (threads and clocks in the .ipp)
// Tests    tests/measure/roofline.cpp
#pragma once

#include <algorithm>
#include <string>

namespace attune {

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
    double bytes = 0;     ///< a triad over arrays far larger than the caches, reads and writes
    unsigned threads = 1; ///< that worked at once
};

/// Where a kernel stands under the roofline.
struct roofline {
    double least_s = 0;        ///< no variant can be faster than this
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
    double const least_s = std::max(arithmetic_s, memory_s);
    return {least_s, least_s / elapsed_s, memory_s > arithmetic_s};
}

/// "0.62 of the roofline (memory bound)".
[[nodiscard]] std::string text_of(roofline const& where);

/// Measures this machine.
/// @param threads  how many work at once, >= 1
/// Cost     about 0.3 s, and 192 MiB per thread while the bandwidth is measured
/// Errors   std::bad_alloc
[[nodiscard]] machine_limits measure_machine(unsigned threads = 1);

/// The limits that `path` holds for this processor and number of threads; measured, and added to
/// the file, when it holds none. A file that cannot be read or written costs a measurement, no
/// more.
/// @param device  name of the processor
[[nodiscard]] machine_limits
known_machine(std::string const& path, std::string const& device, unsigned threads = 1);

} // namespace attune
