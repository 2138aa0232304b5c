// attune/search/pareto/front.hpp - two objectives: which values no other dominates, and what they cover.
// SPDX-License-Identifier: MIT
// Source   hypervolume: Zitzler & Thiele 1998, the measure of what a front dominates, exact in two
//          dimensions by a sweep
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Which values of an objective are better.
enum class goal : std::uint8_t { lowest, highest };

/// The values of two objectives at one configuration.
using two_values = std::array<double, 2>;

/// Whether `a` is nowhere worse than `b` and somewhere better; lower is better. False for NaN.
[[nodiscard]] constexpr bool dominates(two_values const& a, two_values const& b) noexcept
{
    return a[0] <= b[0] && a[1] <= b[1] && (a[0] < b[0] || a[1] < b[1]);
}

/// The places of the values that no other dominates, the lowest first objective first; of equal
/// values the first place. Values that are not finite are left out.
/// @param values  n, lower is better
/// Cost     n log n
[[nodiscard]] std::vector<std::size_t> non_dominated(std::span<two_values const> values);

/// The area that is dominated by some of `values` and dominates `reference`; 0 where no value is
/// below the reference in both objectives.
/// @param values     n, lower is better; dominated ones do not count
/// @param reference  finite
/// Cost     n log n
[[nodiscard]] double hypervolume(std::span<two_values const> values, two_values const& reference);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/pareto/front.ipp>
#endif
