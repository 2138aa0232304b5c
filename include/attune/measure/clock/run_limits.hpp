// attune/measure/clock/run_limits.hpp - how long a run may take, and how often it is timed.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// A run shorter than this is never called too long: forking, page faults or a pause of the machine
/// dominate it.
inline constexpr double shortest_limit_s = 0.25;
/// A run that takes longer than this times a known one counts as hanging.
inline constexpr double usual_first_run_ratio = 10;

/// Memory in use that grows by this much, and by as much again in another run, is a leak.
inline constexpr std::size_t least_leak_bytes = std::size_t{1} << 20;

/// Wall seconds after which a run counts as hanging, given the time of a run that did not.
[[nodiscard]] constexpr double first_run_limit_s(double took_s,
                                                 double ratio = usual_first_run_ratio) noexcept
{
    return std::max(shortest_limit_s, ratio * took_s);
}

/// A variant that is neither precise nor slower after so many samples goes to the final as it is.
inline constexpr std::uint32_t most_samples_of_a_variant = 24;

/// So wide that all intervals of `contestants` against one of them hold together with 95 %
/// (Bonferroni).
[[nodiscard]] constexpr double confidence_among(std::size_t contestants) noexcept
{
    return 1 - 0.05 / static_cast<double>(std::max<std::size_t>(contestants, 2) - 1);
}

} // namespace attune::inline ATTUNE_ABI
