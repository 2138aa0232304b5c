// attune/space/files/detail/only_recorded.hpp - the condition that a configuration was recorded.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

using recorded_points = std::unordered_set<point, point_hash>;

/// Points in lexicographic order: those that begin alike lie side by side.
class sorted_points {
public:
    explicit sorted_points(recorded_points const& all)
        : all_(all.begin(), all.end())
    {
        std::sort(all_.begin(), all_.end(), [](point const& a, point const& b) {
            return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), is_below);
        });
    }

    /// Whether one begins with these coordinates.
    [[nodiscard]] bool has_begun(std::span<coordinate const> first) const
    {
        auto const found = std::partition_point(all_.begin(), all_.end(), [&](point const& p) {
            auto const here = beginning(p, first.size());
            return std::lexicographical_compare(here.begin(), here.end(), first.begin(),
                                                first.end(), is_below);
        });
        return found != all_.end() && std::ranges::equal(beginning(*found, first.size()), first);
    }

private:
    [[nodiscard]] static std::span<coordinate const> beginning(point const& p, std::size_t count)
    {
        return std::span(p).first(count);
    }
    [[nodiscard]] static bool is_below(coordinate const& a, coordinate const& b)
    {
        return a.index != b.index ? a.index < b.index : a.real < b.real;
    }

    std::vector<point> all_;
};

/// Adds the condition that a configuration was recorded. Where parameters have many more
/// combinations than that, it is stated of the first ones, too, one more at a time, so that a tree
/// is built by as many steps as rows and values. Each of these holds where one before it does not:
/// an explanation has one sentence.
inline void only_recorded(description& space, std::shared_ptr<recorded_points const> known)
{
    constexpr double combinations_tried = 1e5;
    auto const add = [&](std::uint32_t count, opaque_predicate test) {
        constraint_description condition;
        condition.text = "the configuration was recorded";
        for (std::uint32_t i = 0; i < count; ++i)
            condition.scope.push_back(i);
        condition.test = std::move(test);
        space.constraints.push_back(std::move(condition));
    };
    auto const parameters = static_cast<std::uint32_t>(space.parameters.size());
    std::shared_ptr<sorted_points const> sorted;
    double combinations = 1;
    for (std::uint32_t i = 0; i + 1 < parameters; ++i) {
        combinations *= static_cast<double>(space.parameters[i].value_count());
        if (combinations < combinations_tried) continue;
        bool const is_first = !sorted;
        if (is_first) sorted = std::make_shared<sorted_points const>(*known);
        add(i + 1, [sorted, is_first](description const&, std::span<coordinate const> at) {
            return (!is_first && !sorted->has_begun(at.first(at.size() - 1))) ||
                   sorted->has_begun(at);
        });
    }
    add(parameters,
        [known = std::move(known), sorted](description const&, std::span<coordinate const> at) {
            return (sorted && !sorted->has_begun(at.first(at.size() - 1))) ||
                   known->contains(point(at.begin(), at.end()));
        });
}

} // namespace attune::inline ATTUNE_ABI::detail
