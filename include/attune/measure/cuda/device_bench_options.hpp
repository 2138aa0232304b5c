// attune/measure/cuda/device_bench_options.hpp - how a device measures.
// SPDX-License-Identifier: MIT
//
// tested by measure/cuda/device_bench.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/clock/run_limits.hpp>

#include <algorithm>

namespace attune::inline ATTUNE_ABI {

/// How to measure.
struct device_bench_options {
    cache_state cache = cache_state::warm; ///< cold: the L2 cache is flushed before each run
    double precision = 0.01;               ///< relative half-width of the interval
    double timing_limit_s = 1.0;           ///< wall seconds for one timing
    bool as_graph = false;                 ///< launches are replayed from a CUDA graph
    bool compare_results = true; ///< false: any result will do; the caller looks at contents()
    /// Whether establish() may run the default a second time, from perturbed contents:
    /// see perturb.hpp. Without it a variant that writes nothing passes where the result stands
    /// already.
    bool perturb = true;
    /// Whether establish() runs the default once more when it has learnt from it, to find a race.
    /// Without it a default and a variant have four runs together at most.
    bool repeat_default = true;
    /// What compares results where they are: device_compare_text, compiled. Without an image, or
    /// where it does not work, they are compared by the host.
    device_code comparison{};
};

/// Wall seconds until a run in compare() counts as hanging. What takes part has run before, so it
/// may take its time, however little is left for the comparison.
/// @param limit_s    of the comparison
/// @param default_s  of the default, as established; 0: not known
[[nodiscard]] constexpr double hang_limit_s(double limit_s, double default_s) noexcept
{
    return std::max(limit_s, first_run_limit_s(default_s));
}

} // namespace attune::inline ATTUNE_ABI
