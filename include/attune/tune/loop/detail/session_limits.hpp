// attune/tune/loop/detail/session_limits.hpp - how large a session can be: its space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

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

} // namespace attune::inline ATTUNE_ABI::detail
