// attune/space/files/detail/only_recorded.hpp - the condition that a configuration was recorded.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

using recorded_points = std::unordered_set<point, point_hash>;

/// Adds the condition that a configuration was recorded.
inline void only_recorded(description& space, std::shared_ptr<recorded_points const> known)
{
    constraint_description condition;
    condition.text = "the configuration was recorded";
    for (std::uint32_t i = 0; i < space.parameters.size(); ++i)
        condition.scope.push_back(i);
    condition.test = [known](description const&, std::span<coordinate const> at) {
        return known->contains(point(at.begin(), at.end()));
    };
    space.constraints.push_back(std::move(condition));
}

} // namespace attune::inline ATTUNE_ABI::detail
