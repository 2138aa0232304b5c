// attune/measure/roofline/roofline.hpp - a kernel's time relative to the limits of the machine.
// SPDX-License-Identifier: MIT
// Source   Williams, Waterman & Patterson 2009 (the roofline model); bandwidth by the triad of
//          McCalpin 1995
#pragma once

#include <attune/core/version.hpp>

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

/// "0.62 of the roofline (memory bound)".
[[nodiscard]] std::string text_of(roofline const& where);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/roofline/roofline.ipp>
#endif
