// attune/space/tree/runs.hpp - the tree of an unconstrained parameter, without a node per value.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/domain.hpp>
#include <attune/space/tree/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// From this number of values on, values that are not the whole table are stored as runs too.
inline constexpr std::uint32_t many_values = std::uint32_t{1} << 16U;

/// The tree of a parameter in no condition; nothing if few values of its table are left, for which
/// nodes suffice.
/// @pre `left` is not empty
[[nodiscard]] inline std::optional<tree> tree_of_runs(std::uint32_t parameter, domain const& left)
{
    if (left.is_whole()) return tree(parameter, left.size());
    if (left.size() < many_values) return {};
    auto const begins_run = [&](std::uint32_t i) {
        return i == 0 || left.value(i) != left.value(i - 1) + 1;
    };
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < left.size(); ++i)
        count += begins_run(i) ? 1U : 0U;
    std::vector<value_run> runs; // exact capacity: there may be millions
    runs.reserve(count);
    for (std::uint32_t i = 0; i < left.size(); ++i)
        if (begins_run(i)) runs.push_back({left.value(i), i});
    return tree(parameter, std::move(runs), left.size());
}

} // namespace attune::inline ATTUNE_ABI::detail
