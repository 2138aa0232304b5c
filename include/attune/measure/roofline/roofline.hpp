// attune/measure/roofline/roofline.hpp - a kernel's time relative to the limits of the machine.
// SPDX-License-Identifier: MIT
// Source   Williams, Waterman & Patterson 2009 (the roofline model); bandwidth by the triad of
//          McCalpin 1995
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI {

/// The work of a call of a kernel. The report's roofline reads the first three members, which
/// should be equal for all variants. The others give the least work of one configuration. attune
/// skips a configuration if its work proves that it cannot be faster than the best so far.
struct work {
    double flops = 0;              ///< additions and multiplications; a fused one counts as two
    double bytes = 0;              ///< across the memory bus: each input and each output once
    bool double_precision = false; ///< the peak for `flops`: f64_flops, else f32_flops
    unsigned threads = 0; ///< threads that may share the work; 0: all processors, if it has any
    /// Additions in a fixed order. The vectors of sums do not limit the other `flops`.
    double sums = 0;
    /// The widest vectors of sums: bytes of a vector, times the number of independent partial sums.
    /// 0: the processor's widest.
    unsigned sum_bytes = 0;
    /// Bytes that the code loads into registers, from memory or cache: no cache saves a load. A
    /// single element beside vectors of 16 bytes or more takes as long as a vector, so it counts as
    /// 16.
    double loads = 0;
    unsigned load_bytes = 0; ///< the widest load; 0: the processor's widest
};

struct roofline {
    /// Seconds of the work at the measured limits. A triad gives the memory limit. A variant that
    /// writes less than a third of its moved bytes can be a little faster.
    double least_s = 0;
    double fraction = 0;       ///< least_s over the measured time; 1: at the roof
    bool memory_bound = false; ///< true: memory bandwidth sets least_s; false: arithmetic
    work of_call{};            ///< work that the kernel states; zeros: unknown
    double flops_per_s = 0;    ///< the measured limit of arithmetic; 0: unknown
    double bytes_per_s = 0;    ///< the measured limit of the memory; 0: unknown
};

/// "0.62 of the roofline (memory bound)".
[[nodiscard]] inline std::string text_of(roofline const& where)
{
    return detail::formatted("%.2f of the roofline (", where.fraction) +
           (where.memory_bound ? "memory" : "compute") + " bound)";
}

} // namespace attune::inline ATTUNE_ABI
