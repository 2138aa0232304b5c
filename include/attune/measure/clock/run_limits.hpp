// attune/measure/clock/run_limits.hpp - limits on the time, memory and samples of a run.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Limits of a first run, besides its time. The defaults suit all kernels except those that
/// allocate much memory or whose check takes minutes.
struct trial_limits {
    std::size_t memory_bytes = 0; ///< that it may map additionally; 0: usual_child_memory()
    double check_s = 60;          ///< wall seconds for the comparison and the user's check together
    double begin_s = 10;          ///< wall seconds until the run begins
};

namespace detail {

/// The shortest time limit of a run, in seconds: forking, page faults or a pause of the machine
/// dominate shorter runs.
inline constexpr double shortest_limit_s = 0.25;
/// A run that takes longer than a known one by this factor counts as hanging.
inline constexpr double usual_first_run_ratio = 10;

/// Memory use that grows by this much, and again in a second run, is a leak.
inline constexpr std::size_t least_leak_bytes = std::size_t{1} << 20;

/// Wall seconds after which a run counts as hanging, from the seconds of a successful run.
[[nodiscard]] constexpr double first_run_limit_s(double took_s,
                                                 double ratio = usual_first_run_ratio) noexcept
{
    double const limit_s = ratio * took_s;
    return limit_s > shortest_limit_s ? limit_s : shortest_limit_s;
}

/// After so many samples a variant goes to the final, even if its time is not precise.
inline constexpr std::uint32_t most_samples_of_a_variant = 24;

/// The confidence of each interval of `contestants` against one of them, so that all hold together
/// with 95 % (Bonferroni).
[[nodiscard]] constexpr double confidence_among(std::size_t contestants) noexcept
{
    return 1 - 0.05 / (contestants > 2 ? static_cast<double>(contestants - 1) : 1.0);
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
