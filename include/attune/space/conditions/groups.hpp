// attune/space/conditions/groups.hpp - groups of parameters that depend on each other, and the groups that a new description changes.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.2 (parameters of different trees are independent); own: parameters with one
//          value connect nothing, conditions that always hold are dropped first
// Source   own: parameters affected by a changed table or input, closed over the conditions
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/domains.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The parameters of one tree, and the conditions that connect them.
struct parameter_group {
    std::vector<std::uint32_t> parameters; ///< ascending
    std::vector<condition> conditions;     ///< none for an unconstrained parameter
};

/// A space as independent groups. Every discrete parameter is in exactly one group.
struct grouping {
    std::vector<domain> domains;         ///< one per parameter; unused for real ones
    std::vector<parameter_group> groups; ///< ordered by their first parameter
    std::vector<condition> over_reals;   ///< tested when a point is drawn
    bool is_empty = false;               ///< no valid configuration exists
};

/// Divides a space into groups.
/// @param conditions  conditions_of(space), or a part of it
/// @pre   space is bound (require_bound)
/// Cost   one test per setting of each condition with few settings (see `limits`), and again after
///        its domains shrink
[[nodiscard]] inline grouping make_groups(description const& space,
                                          std::vector<condition> conditions,
                                          enumeration_limits const& limits = {})
{
    grouping out;
    for (parameter_description const& p : space.parameters)
        out.domains.emplace_back(p.value_count());

    // Expressions first: they may exclude values that an opaque predicate must not get.
    std::vector<condition> left;
    for (bool const opaque : {false, true})
        for (condition& c : conditions)
            if ((c.root == no_index) == opaque)
                (c.reads_real ? out.over_reals : left).push_back(std::move(c));
    join_alike(left);
    out.is_empty = !filter_domains(space, left, out.domains, limits);
    detail::partition same(space.parameters.size());
    for (condition& c : left) {
        c.scope = open_scope(c, out.domains);
        for (std::uint32_t const p : c.scope)
            same.unite(c.scope.front(), p);
    }
    std::vector<std::size_t> group_of(space.parameters.size());
    for (std::uint32_t p = 0; p < space.parameters.size(); ++p) {
        if (space.parameters[p].traits().is_interval) continue;
        std::uint32_t const root = same.find(p);
        if (root == p) {
            group_of[p] = out.groups.size();
            out.groups.emplace_back();
        }
        out.groups[group_of[root]].parameters.push_back(p);
    }
    if (out.is_empty) return out;
    for (condition& c : left)
        out.groups[group_of[same.find(c.scope.front())]].conditions.push_back(std::move(c));
    return out;
}

/// Returns true if two parameters have the same values.
[[nodiscard]] inline bool same_values(parameter_description const& a,
                                      parameter_description const& b)
{
    return a.kind == b.kind && a.type == b.type && a.parts == b.parts && a.integers == b.integers &&
           a.range_count == b.range_count &&
           (a.range_count == 0 || (a.rule.first == b.rule.first && a.rule.step == b.rule.step)) &&
           a.reals == b.reals && a.labels == b.labels;
}

/// Returns true if `a` and `b` have equal constraints over equally many parameters. Tables and
/// values of inputs may differ.
[[nodiscard]] inline bool same_expressions(description const& a, description const& b)
{
    auto const same_root = [](constraint_description const& x, constraint_description const& y) {
        return x.root == y.root && !x.test == !y.test;
    };
    return a.parameters.size() == b.parameters.size() && a.inputs.size() <= b.inputs.size() &&
           a.nodes == b.nodes && a.texts == b.texts &&
           std::equal(a.constraints.begin(), a.constraints.end(), b.constraints.begin(),
                      b.constraints.end(), same_root);
}

/// Returns true if the result of `c` may differ between `now` and `before`, apart from tables.
/// Always true for an opaque predicate, which may read any input.
[[nodiscard]] inline bool may_differ(condition const& c, description const& before,
                                     description const& now)
{
    if (c.root == no_index) return true;
    bool differs = false;
    walk_expression(now, c.root, [&](expression_node const& n) {
        if (n.code == op::input)
            differs = differs || n.subject >= before.inputs.size() ||
                      before.inputs[n.subject].value != now.inputs[n.subject].value;
    });
    return differs;
}

/// For each parameter of `now`, true if its tree may differ from that of `before`. All parameters
/// of a condition have the same mark.
/// @param conditions  conditions_of(now)
[[nodiscard]] inline std::vector<bool>
parameters_to_rebuild(description const& before, description const& now,
                      std::vector<condition> const& conditions)
{
    std::size_t const count = now.parameters.size();
    if (!same_expressions(before, now)) return std::vector<bool>(count, true);
    partition tied(count);
    std::vector<bool> changed(count, false);
    for (std::uint32_t p = 0; p < count; ++p)
        changed[p] = !same_values(before.parameters[p], now.parameters[p]);
    for (condition const& c : conditions) {
        if (c.reads_real || c.scope.empty()) continue;
        bool const differs = may_differ(c, before, now);
        for (std::uint32_t const p : c.scope) {
            tied.unite(c.scope.front(), p);
            if (differs) changed[p] = true;
        }
    }
    std::vector<bool> root_changed(count, false);
    for (std::uint32_t p = 0; p < count; ++p)
        if (changed[p]) root_changed[tied.find(p)] = true;
    for (std::uint32_t p = 0; p < count; ++p)
        changed[p] = root_changed[tied.find(p)];
    return changed;
}

} // namespace attune::inline ATTUNE_ABI::detail
