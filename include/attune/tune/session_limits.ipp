// attune/tune/session_limits.ipp - how large a session is: its final, its space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/progress.ipp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace attune::detail {

/// What the final may take of the time budget: a tenth, but no more than two seconds; for slow
/// kernels what eight rounds of two take, but no more than a quarter.
[[nodiscard]] inline double final_limit_s(double budget_s, double default_s, double best_s)
{
    return std::min(std::max(std::min(2.0, 0.1 * budget_s), 8 * (default_s + best_s)),
                    0.25 * budget_s);
}

/// Of that, what is left of the budget; half of it in any case, so that what was found is not lost
/// to one last evaluation that took longer than all before.
[[nodiscard]] inline double final_time_s(double limit_s, double left_s)
{
    return std::clamp(left_s, 0.5 * limit_s, limit_s);
}

[[nodiscard]] inline std::string space_size_text(chain_of_trees const& space)
{
    if (auto const size = space.size(); size && *size < 1'000'000)
        return std::to_string(static_cast<std::uint64_t>(*size)) + " configurations";
    return (space.is_exact() ? "2^" : "about 2^") + formatted("%.1f", space.log2_size()) +
           " configurations";
}

[[nodiscard]] inline std::uint32_t possible_evaluations(chain_of_trees const& space)
{
    constexpr std::uint32_t many = std::numeric_limits<std::uint32_t>::max();
    auto const size = space.size();
    if (space.has_real_parameters() || !size || *size > many) return many;
    return static_cast<std::uint32_t>(*size);
}

} // namespace attune::detail
