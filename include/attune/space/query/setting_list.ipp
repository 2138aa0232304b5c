// attune/space/query/setting_list.ipp - walks each tree, then combines trees; a space with one more condition.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/query/setting_list.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The leaves of a tree that have one setting.
struct leaves_of_setting {
    leaf_count first = 0; ///< one of them
    double count = 0;
};

/// Leaves by the part of the setting's number that the tree decides.
using tree_settings = std::map<std::uint64_t, leaves_of_setting>;

/// @param stride  by parameter: step of the number per step of the value; 0: not in the scope
/// @param edges   decreased by the visited edges
/// @return  nothing if no edges are left
[[nodiscard]] inline std::optional<tree_settings>
settings_in(tree const& t, std::span<std::uint64_t const> stride, std::uint64_t& edges)
{
    tree_settings out;
    if (is_free(t)) {
        if (t.leaves() > edges) return {};
        edges -= static_cast<std::uint64_t>(t.leaves());
        for (std::uint32_t leaf = 0; leaf < t.leaves(); ++leaf)
            out[t.run_value(leaf) * stride[t.parameters().front()]] = {leaf, 1};
        return out;
    }
    std::vector<leaf_count> const below = leaves_below(t);
    std::span<std::uint32_t const> const levels = t.parameters();
    std::size_t last = levels.size();
    while (last > 0 && stride[levels[last - 1]] == 0)
        --last;
    // `count` is the number of ways to reach the node with that number
    std::map<std::pair<std::uint32_t, std::uint64_t>, leaves_of_setting> here{
        {{root_of(t), 0}, {0, 1}}};
    for (std::size_t level = 0; level < last; ++level) {
        std::map<std::pair<std::uint32_t, std::uint64_t>, leaves_of_setting> next;
        for (auto const& [at, reached] : here) {
            std::span<std::uint32_t const> const values = t.values(at.first);
            std::span<std::uint32_t const> const children = t.children(at.first);
            if (values.size() > edges) return {};
            edges -= values.size();
            leaf_count first = reached.first;
            for (std::size_t e = 0; e < values.size(); ++e) {
                bool const is_leaf = children[e] == tree_edge::no_child;
                leaf_count const leaves = is_leaf ? 1 : below[children[e]];
                std::uint64_t const number = at.second + values[e] * stride[levels[level]];
                if (level + 1 == last) {
                    leaves_of_setting& all = out.try_emplace(number, first, 0.0).first->second;
                    all.count += reached.count * static_cast<double>(leaves);
                } else {
                    next.try_emplace({children[e], number}, first, 0.0).first->second.count +=
                        reached.count;
                }
                first += leaves;
            }
        }
        here = std::move(next);
    }
    return out;
}

ATTUNE_INLINE bool for_each_setting(
    chain_of_trees const& space, std::span<std::uint32_t const> scope,
    std::function<bool(std::uint64_t number, double configurations, point const& one)> const& visit,
    setting_limits const& limits)
{
    std::vector<std::uint64_t> stride(space.describe().parameters.size(), 0);
    std::uint64_t all = 1;
    for (std::size_t i = scope.size(); i-- > 0;) {
        stride[scope[i]] = all;
        all *= space.describe().parameters[scope[i]].value_count();
    }
    struct part {
        tree const* from;
        tree_settings settings;
    };
    std::vector<part> parts;
    double others = 1; // configurations of the trees without a parameter of the scope
    std::uint64_t edges = limits.edges;
    std::uint64_t settings = 1;
    for (std::size_t t = 0; t < space.tree_count(); ++t) {
        tree const& from = space.tree_at(t);
        if (std::none_of(from.parameters().begin(), from.parameters().end(),
                         [&](std::uint32_t p) { return stride[p] != 0; })) {
            others *= static_cast<double>(from.leaves());
            continue;
        }
        std::optional<tree_settings> found = settings_in(from, stride, edges);
        if (!found || found->size() > limits.settings / settings) return false;
        settings *= found->size();
        parts.push_back({&from, *std::move(found)});
    }
    point one = space.at(space_index{std::vector<leaf_count>(space.tree_count(), 0)});
    auto const combine = [&](auto const& self, std::size_t i, std::uint64_t number,
                             double configurations) -> bool {
        if (i == parts.size()) return visit(number, configurations, one);
        return std::all_of(parts[i].settings.begin(), parts[i].settings.end(),
                           [&](auto const& setting) {
                               parts[i].from->place(setting.second.first, one);
                               return self(self, i + 1, number + setting.first,
                                           configurations * setting.second.count);
                           });
    };
    return combine(combine, 0, 0, others);
}

ATTUNE_INLINE std::optional<chain_of_trees> part_of(chain_of_trees const& whole,
                                                    kept_settings const& part)
{
    description space = whole.describe();
    std::vector<std::uint64_t> values;
    for (std::uint32_t const p : part.scope)
        values.push_back(space.parameters[p].value_count());
    constraint_description kept;
    kept.scope = part.scope;
    kept.text = "one of the kept settings";
    kept.test = [values = std::move(values),
                 all = std::make_shared<std::vector<bool> const>(part.kept)](
                    description const&, std::span<coordinate const> at) -> bool {
        std::uint64_t number = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            number = number * values[i] + at[i].index;
        return (*all)[number];
    };
    space.constraints.push_back(std::move(kept));
    try {
        return chain_of_trees{std::move(space),
                              {.max_visits = 4'000'000,
                               .max_bytes = 64ULL << 20U,
                               .wide = when_wide::refuse,
                               .enumeration = {.max_visits = 1'000'000}}};
    } catch (error const&) {
        return {};
    } catch (std::bad_alloc const&) {
        return {};
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
