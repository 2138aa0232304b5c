// attune/space/neighbours.ipp - where a search can go from one configuration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/nearest.ipp>
#include <attune/space/query/steps.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The nearest other settings of tree `t`, while the rest of `p`, which is valid, stays.
[[nodiscard]] inline std::vector<point>
nearest_in_tree(chain_of_trees const& space, std::size_t t, point const& p)
{
    std::size_t const most = std::max(nearest_options{}.candidates, most_nearest + 1);
    std::vector<point> out;
    std::size_t tested = 0;
    for (std::size_t asked = most_nearest + 1;; asked = std::min(asked * 4, most)) {
        leaf_search search(space.tree_at(t), space.describe(), p, asked);
        std::vector<changed_setting> const found = search.cheapest(asked);
        for (; tested < found.size() && out.size() < most_nearest; ++tested) {
            point near = p;
            space.tree_at(t).place(found[tested].leaf.front(), near);
            if (near != p && space.contains(near)) out.push_back(std::move(near));
        }
        if (out.size() == most_nearest || found.size() < asked || asked == most) return out;
    }
}

} // namespace detail

std::vector<point> chain_of_trees::neighbours(point const& p) const
{
    std::vector<point> out;
    std::vector<bool> can_move(p.size(), false);
    point moved = p;
    for (std::uint32_t i = 0; i < p.size(); ++i) {
        for_each_step(describe().parameters[i], p[i], [&](coordinate const& step) {
            moved[i] = step;
            bool const valid = contains(moved);
            if (valid) out.push_back(moved);
            can_move[i] = can_move[i] || valid;
            return valid;
        });
        moved[i] = p[i];
    }
    if (!contains(p)) return out.empty() && is_exact() ? nearest_valid(*this, p) : out;
    for (std::size_t t = 0; t < tree_count(); ++t) {
        std::span<std::uint32_t const> const own = tree_at(t).parameters();
        auto const moves = [&](std::uint32_t i) { return can_move[i]; };
        if (tree_at(t).leaves() == 1 || std::any_of(own.begin(), own.end(), moves)) continue;
        for (point& near : detail::nearest_in_tree(*this, t, p))
            out.push_back(std::move(near));
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
