// attune/space/diagram/depth_first.hpp - grows a tree depth first, one parameter after the other.
// SPDX-License-Identifier: MIT
// Source   own: depth first; tests each condition as soon as values refute it, at the latest when
//          its last parameter is set. A subtree depends only on the parameters above it that an
//          open condition reads, so it is built once per setting of these.
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/domains.hpp>
#include <attune/space/conditions/groups.hpp>
#include <attune/space/conditions/partial.hpp>
#include <attune/space/diagram/effort.hpp>
#include <attune/space/diagram/node_store.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Depth-first construction of one tree.
class tree_grower {
public:
    tree_grower(description const& space, parameter_group const& group,
                std::vector<domain> const& domains, std::vector<std::uint32_t> levels,
                effort& budget)
        : domains_(domains)
        , budget_(budget)
        , at_(first_values(space, domains))
        , store_(std::move(levels))
        , levels_(group.parameters.size())
        , outlook_(space)
    {
        std::span<std::uint32_t const> const order = store_.made().parameters();
        std::vector<std::size_t> level_of(space.parameters.size(), 0);
        for (std::size_t l = 0; l < order.size(); ++l) {
            levels_[l].parameter = order[l];
            level_of[order[l]] = l;
        }
        outlook_.set_levels(level_of);
        std::vector<std::vector<bool>> in_key(order.size(), std::vector<bool>(order.size(), false));
        for (condition const& c : group.conditions) {
            std::size_t last = 0;
            for (std::uint32_t const p : c.scope)
                last = std::max(last, level_of[p]);
            for (std::uint32_t const p : c.scope)
                if (level_of[p] == last || c.root != no_index)
                    levels_[level_of[p]].tests.push_back(&c);
            for (std::uint32_t const p : c.scope)
                for (std::size_t l = level_of[p] + 1; l <= last; ++l)
                    in_key[l][level_of[p]] = true;
        }
        for (std::size_t l = 1; l < order.size(); ++l)
            levels_[l].set_key(in_key[l], levels_, domains);
    }

    /// Builds the tree. @return whether any setting is valid; undefined once the budget is spent
    bool grow_all() { return grow(0) != dead; }
    /// Looks for one valid setting. @return true also once the budget is spent
    bool find_one()
    {
        stop_at_first_ = true;
        return grow_all() || budget_.is_spent;
    }
    [[nodiscard]] tree take() && { return std::move(store_).take(); }

private:
    static constexpr std::uint32_t dead = tree_edge::no_child - 1;
    static constexpr std::uint64_t known_bytes = 48;
    static constexpr std::uint64_t edge_bytes = 48; // vectors may have twice the capacity
    static constexpr std::uint64_t node_bytes = 112;

    struct level {
        std::uint32_t parameter = 0;
        std::uint32_t digit = 0; // index of the current value in its domain
        std::vector<condition const*> tests;
        std::vector<std::pair<std::size_t, std::uint64_t>> key; // level above, its stride
        bool remembers = false;
        std::unordered_map<std::uint64_t, std::uint32_t> known; // key -> node, or dead
        std::vector<tree_edge> edges;

        /// A key of all levels above never repeats; a key beyond 64 bits is not stored.
        void set_key(std::vector<bool> const& in_key, std::vector<level> const& levels,
                     std::vector<domain> const& domains)
        {
            std::uint64_t stride = 1;
            bool fits = true;
            bool skips_one = false;
            for (std::size_t l = 0; &levels[l] != this; ++l) {
                if (!in_key[l]) {
                    skips_one = true;
                    continue;
                }
                key.emplace_back(l, stride);
                std::uint64_t const size = domains[levels[l].parameter].size();
                fits = fits && !__builtin_mul_overflow(stride, size, &stride);
            }
            remembers = fits && skips_one;
        }
    };

    /// The node of the subtree below the current values; `dead` if it has no valid setting.
    std::uint32_t grow(std::size_t l)
    {
        if (l == levels_.size()) return tree_edge::no_child;
        level& here = levels_[l];
        std::uint64_t key = 0;
        for (auto const& [above, stride] : here.key)
            key += levels_[above].digit * stride;
        if (here.remembers)
            if (auto const known = here.known.find(key); known != here.known.end())
                return known->second;

        here.edges.clear();
        domain const& values = domains_[here.parameter];
        for (here.digit = 0; here.digit < values.size(); ++here.digit) {
            if (!budget_.spend_visits(1)) return dead;
            std::uint32_t const value = values.value(here.digit);
            at_[here.parameter].index = value;
            if (!tests_hold(here, l)) continue;
            std::uint32_t const child = grow(l + 1);
            if (child == dead) continue;
            here.edges.push_back({value, child});
            if (stop_at_first_) break;
        }
        if (budget_.is_spent) return dead;
        std::uint32_t node = dead;
        if (!here.edges.empty()) {
            budget_.spend_bytes(edge_bytes * here.edges.size() + node_bytes);
            node = store_.add(here.edges);
        }
        if (here.remembers && budget_.spend_bytes(known_bytes)) here.known.emplace(key, node);
        return node;
    }

    [[nodiscard]] bool tests_hold(level const& here, std::size_t l) const
    {
        for (condition const* c : here.tests)
            if (!outlook_.may_hold(*c, l, at_)) return false;
        return true;
    }

    std::vector<domain> const& domains_;
    effort& budget_;
    point at_;
    node_store store_;
    std::vector<level> levels_;
    partial_evaluator outlook_;
    bool stop_at_first_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail
