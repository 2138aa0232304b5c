// attune/measure/cuda/device_bench_options.hpp - options for measuring on a device.
// SPDX-License-Identifier: MIT
//
// tested by measure/cuda/device_bench.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/clock/run_limits.hpp>

#include <algorithm>

namespace attune::inline ATTUNE_ABI::detail {

/// Options of a device_bench.
struct device_bench_options {
    cache_state cache = cache_state::warm; ///< cold: the L2 cache is flushed before each run
    double precision = 0.01;               ///< relative half-width of the interval
    double timing_limit_s = 1.0;           ///< wall seconds for one timing
    bool as_graph = false;                 ///< true: launches are replayed from a CUDA graph
    bool compare_results = true; ///< false: results are not compared; the caller reads contents()
    /// True: establish() may run the default again, from perturbed contents (see perturb.hpp).
    /// False: a variant that writes nothing passes if the arrays contain the result already.
    bool perturb = true;
    /// True: establish() may run the default once more, to find a race. False: the default and a
    /// variant have at most four runs together, six where two runs leave an array unchanged.
    bool repeat_default = true;
    /// device_compare_text, compiled: compares results on the device. Without an image, or when it
    /// does not work, the host compares.
    device_code comparison{};
};

/// Wall seconds until a run in compare() counts as hanging. Contestants have run before, so a run
/// may take long even when little time is left for the comparison.
/// @param limit_s    of the comparison
/// @param default_s  of the default; 0: unknown
[[nodiscard]] constexpr double hang_limit_s(double limit_s, double default_s) noexcept
{
    return std::max(limit_s, first_run_limit_s(default_s));
}

} // namespace attune::inline ATTUNE_ABI::detail
