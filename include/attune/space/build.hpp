// attune/space/build.hpp - grows the tree of one group of parameters.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> [space] -> search -> compile -> measure -> remember
// In       one group of parameters, their conditions and domains
// Out      its tree, or nothing when no setting is valid
// Source   own: by decision diagrams (diagram_tree.hpp); where these grow past the limits, depth
//          first (depth_first.hpp), which needs less memory
// Depends  std only
// Tests    tests/space/build.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/diagram/depth_first.hpp>
#include <attune/space/diagram/diagram_tree.hpp>
#include <attune/space/domains.hpp>
#include <attune/space/groups.hpp>
#include <attune/space/tree.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune {

namespace detail {

[[noreturn]] inline void
too_wide(description const& space, parameter_group const& group, std::string const& what)
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
    throw error(what,
                where,
                "give these parameters fewer values, split a constraint that ties many of them "
                "(a && b is split already), or raise build_options::max_visits and max_nodes");
}

/// Whether some setting satisfies all conditions; also true when that takes too long to know.
inline bool is_satisfiable(description const& space,
                           std::vector<condition> conditions,
                           build_options const& options)
{
    grouping const parts = make_groups(space, std::move(conditions), options.enumeration);
    if (parts.is_empty) return false;
    for (parameter_group const& group : parts.groups)
        if (!group.conditions.empty() &&
            !tree_grower(space, group, parts.domains, options).find_one())
            return false;
    return true;
}

} // namespace detail

/// The tree of one group; nothing when no setting of it is valid.
/// Errors  attune::error naming the group's parameters and constraints when a limit of `options`
///         is reached or the tree has 2^128 leaves or more
/// Cost    at most options.max_visits values, each with the conditions that it completes
[[nodiscard]] inline std::optional<tree> build_tree(description const& space,
                                                    parameter_group const& group,
                                                    std::vector<domain> const& domains,
                                                    build_options const& options = {})
{
    std::uint32_t const first = group.parameters.front();
    if (group.conditions.empty() && domains[first].is_whole())
        return tree(first, domains[first].size());
    auto [finished, quick] = detail::tree_by_diagrams(space, group, domains, options);
    if (finished) {
        if (quick && quick->leaves() == uncountable)
            detail::too_wide(
                space, group, "a group of parameters has 2^128 configurations or more");
        return std::move(quick);
    }
    detail::tree_grower grower(space, group, domains, options);
    bool const any = grower.grow_all();
    switch (grower.why_stopped()) {
    case detail::stopped::no:
        break;
    case detail::stopped::visits:
        detail::too_wide(space,
                         group,
                         "a group of parameters takes more than " +
                             std::to_string(options.max_visits) + " steps to search");
    case detail::stopped::nodes:
        detail::too_wide(space,
                         group,
                         "a group of parameters takes more than " +
                             std::to_string(options.max_nodes) + " tree nodes");
    }
    if (!any) return {};
    tree made = std::move(grower).take();
    if (made.leaves() == uncountable)
        detail::too_wide(space, group, "a group of parameters has 2^128 configurations or more");
    return made;
}

} // namespace attune
