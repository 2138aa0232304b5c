// attune/space/tree/build.hpp - grows the tree of one group of parameters.
// SPDX-License-Identifier: MIT
// Source   own: by decision diagrams (diagram_tree.hpp) in several orders of the parameters; if all
//          of these exceed the limits, depth first (depth_first.hpp)
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/conditions/domains.hpp>
#include <attune/space/conditions/groups.hpp>
#include <attune/space/diagram/depth_first.hpp>
#include <attune/space/diagram/diagram_tree.hpp>
#include <attune/space/order/order.hpp>
#include <attune/space/tree/runs.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
                "(a && b is split already), or raise build_options::max_visits and max_bytes");
}

/// The sentence about a tree that exceeds the limits.
inline std::string limits_sentence(build_options const& options)
{
    return "the tree of a group of parameters takes more than its share of " +
           std::to_string(options.max_visits) + " visits, or more than " +
           std::to_string(options.max_bytes) + " bytes";
}

/// Whether some setting satisfies all conditions; also true if the limits are reached.
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

/// Whether a predicate has too many settings to be called on all of them.
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
/// @param visits  rest for this and other groups; reduced by the visits used
/// Errors  attune::error when the tree has 2^128 leaves or more, where wide groups are refused
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
        // A minimum share, so that many wide groups do not leave nothing for later ones.
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
