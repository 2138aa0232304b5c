// attune/space/tree/build.hpp - grows the tree of one group of parameters: by runs, by diagrams or depth first.
// SPDX-License-Identifier: MIT
// Source   own: by decision diagrams (diagram_tree.hpp) in several orders of the parameters; if all
//          of these exceed the limits, depth first
// Source   own: depth first; refuses a value as soon as a condition cannot hold any more, at the
//          latest when the last parameter of the condition is set. A subtree depends only on the
//          parameters above it that an open condition reads: one subtree per setting of these.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/domains.hpp>
#include <attune/space/conditions/proof.hpp>
#include <attune/space/diagram/diagram.hpp>
#include <attune/space/diagram/diagram_tree.hpp>
#include <attune/space/order/order.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
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

    /// Builds the tree. @return true if a setting is valid; undefined once the budget is spent
    bool grow_all() { return grow(0) != dead; }
    /// Searches for one valid setting. @return true if it finds one, or if the budget is spent
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

        /// Sets the levels of the key. No node is remembered if the key has all levels above,
        /// because it then never repeats, or if the key needs more than 64 bits.
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

/// From this number of values on, a part of the table is also stored as runs.
inline constexpr std::uint32_t many_values = std::uint32_t{1} << 16U;

/// The tree of a parameter in no condition; nothing if few values remain, because nodes are enough
/// for them.
/// @pre `left` is not empty
[[nodiscard]] inline std::optional<tree> tree_of_runs(std::uint32_t parameter, domain const& left)
{
    if (left.is_whole()) return tree(parameter, left.size());
    if (left.size() < many_values) return {};
    // Steps that double, then halve: a run costs the logarithm of its length.
    auto const end_of_run = [&](std::uint32_t begin) {
        std::uint32_t in = begin, step = 1; // `in` is in the run
        auto const reaches = [&](std::uint32_t by) {
            return by < left.size() - in && left.value(in + by) - left.value(in) == by;
        };
        for (; reaches(step); step *= 2)
            in += step;
        for (; step > 0; step /= 2)
            if (reaches(step)) in += step;
        return in + 1;
    };
    std::vector<value_run> runs;
    for (std::uint32_t i = 0; i < left.size(); i = end_of_run(i))
        runs.push_back({left.value(i), i});
    runs.shrink_to_fit(); // there may be millions
    return tree(parameter, std::move(runs), left.size());
}

[[noreturn]] inline void too_wide(description const& space, parameter_group const& group,
                                  std::string const& what)
{
    std::string where = "parameters";
    char const* separator = " ";
    for (std::uint32_t const p : group.parameters) {
        where += separator + space.parameters[p].name;
        separator = ", ";
    }
    std::vector<std::uint32_t> sources;
    for (condition const& c : group.conditions)
        sources.push_back(c.source);
    sort_unique(sources);
    separator = "; tied by ";
    for (std::uint32_t const s : sources) {
        where += separator + constraint_text(space, s);
        separator = ", ";
    }
    throw error(what, where,
                "give these parameters fewer values, split a constraint that ties many of them "
                "(attune has split a && b), or raise build_options::max_visits and max_bytes");
}

/// The sentence about a tree that exceeds the limits.
inline std::string limits_sentence(build_options const& options)
{
    return "the tree of a group of parameters takes more than its share of " +
           std::to_string(options.max_visits) + " visits, or more than " +
           std::to_string(options.max_bytes) + " bytes";
}

/// Returns true if a setting satisfies all conditions, or the limits are reached.
inline bool is_satisfiable(description const& space, std::vector<condition> conditions,
                           build_options const& options)
{
    grouping const parts = make_groups(space, std::move(conditions), options.enumeration);
    if (parts.is_empty) return false;
    for (parameter_group const& group : parts.groups) {
        if (group.conditions.empty()) continue;
        effort budget{options.max_visits, options.max_bytes, false};
        std::vector<std::uint32_t> order = level_order(space, group, parts.domains);
        if (!tree_grower(space, group, parts.domains, std::move(order), budget).find_one())
            return false;
    }
    return true;
}

/// Returns true if a predicate has too many settings to be called on all of them.
inline bool has_wide_call(parameter_group const& group, std::vector<domain> const& domains,
                          enumeration_limits const& limits)
{
    return std::any_of(group.conditions.begin(), group.conditions.end(), [&](condition const& c) {
        double settings = 1;
        for (std::uint32_t const p : c.scope)
            settings *= static_cast<double>(domains[p].size());
        return c.root == no_index && settings > static_cast<double>(limits.wide_settings);
    });
}

/// The result of growing a tree.
struct grown_tree {
    bool is_wide = false;     ///< the limits were reached, or leaves cannot be numbered
    std::optional<tree> made; ///< else the tree, or nothing if no setting is valid
};

/// Grows the tree of one group: by diagrams in several orders, then depth first, each with half of
/// the remaining visits.
/// @param visits  visits left for this and later groups; the function subtracts those that it uses
/// Errors  attune::error: the tree has 2^128 leaves or more, and wide groups are refused
[[nodiscard]] inline grown_tree grow_tree(description const& space, parameter_group const& group,
                                          std::vector<domain> const& domains,
                                          build_options const& options, std::uint64_t& visits)
{
    std::uint32_t const first = group.parameters.front();
    if (group.conditions.empty()) { // one parameter: as cheap as its table
        if (std::optional<tree> runs = tree_of_runs(first, domains[first]))
            return {false, std::move(runs)};
        effort unlimited;
        return {false, tree_by_diagrams(space, group, domains, {first}, unlimited)};
    }
    bool const by_calls = has_wide_call(group, domains, options.enumeration);
    std::vector<std::vector<std::uint32_t>> tried;
    for (int attempt = 0; attempt <= order_attempts; ++attempt) {
        bool const depth_first = attempt == order_attempts;
        if (by_calls && !depth_first) continue;
        std::vector<std::uint32_t> order =
            level_order(space, group, domains, depth_first ? 0 : attempt);
        if (!depth_first && std::find(tried.begin(), tried.end(), order) != tried.end()) continue;
        tried.push_back(order);
        // A minimum share, so that later groups also get visits.
        std::uint64_t const given = std::max(visits / 2, options.max_visits / 64);
        effort budget{given, options.max_bytes, false};
        std::optional<tree> made;
        if (depth_first) {
            tree_grower grower(space, group, domains, std::move(order), budget);
            if (grower.grow_all() && !budget.is_spent) made = std::move(grower).take();
        } else {
            made = tree_by_diagrams(space, group, domains, std::move(order), budget);
        }
        visits -= std::min(visits, given - budget.visits);
        if (budget.is_spent) continue;
        if (made && made->leaves() == uncountable) {
            if (options.wide == when_wide::refuse)
                too_wide(space, group, "a group of parameters has 2^128 configurations or more");
            return {true, {}};
        }
        return {false, std::move(made)};
    }
    return {true, {}};
}

} // namespace attune::inline ATTUNE_ABI::detail
