// attune/space/files/detail/only_recorded.hpp - the condition that a configuration was recorded.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

using recorded_points = std::unordered_set<point, point_hash>;

/// Adds the condition that the first `count` parameters have values that were recorded together.
inline void
add_recorded(description& space, std::uint32_t count, std::shared_ptr<recorded_points const> known)
{
    constraint_description condition;
    condition.text = "the configuration was recorded";
    for (std::uint32_t i = 0; i < count; ++i)
        condition.scope.push_back(i);
    condition.test = [known = std::move(known), count](description const&,
                                                       std::span<coordinate const> at) {
        return known->contains(point(at.begin(), at.begin() + count));
    };
    space.constraints.push_back(std::move(condition));
}

/// Adds the condition that a configuration was recorded. Where parameters have many more
/// combinations than that, it is stated of the first ones, too, one more at a time: a tree is then
/// built by as many steps as rows and values.
inline void only_recorded(description& space, std::shared_ptr<recorded_points const> known)
{
    constexpr double combinations_tried = 1e5;
    auto const parameters = static_cast<std::uint32_t>(space.parameters.size());
    double combinations = 1;
    for (std::uint32_t i = 0; i < parameters; ++i) {
        combinations *= static_cast<double>(space.parameters[i].value_count());
        if (i + 1 == parameters || combinations < combinations_tried) continue;
        auto const begun = std::make_shared<recorded_points>();
        for (point const& p : *known)
            begun->emplace(p.begin(), p.begin() + i + 1);
        add_recorded(space, i + 1, begun);
    }
    add_recorded(space, parameters, std::move(known));
}

} // namespace attune::inline ATTUNE_ABI::detail
