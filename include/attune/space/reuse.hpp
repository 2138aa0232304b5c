// attune/space/reuse.hpp - finds the trees to rebuild when a description changes.
// SPDX-License-Identifier: MIT
// Source   own: parameters affected by a changed table or input, closed over the conditions
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/groups.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether two parameters have the same values.
[[nodiscard]] inline bool same_values(parameter_description const& a,
                                      parameter_description const& b)
{
    return a.kind == b.kind && a.type == b.type && a.parts == b.parts && a.integers == b.integers &&
           a.range_count == b.range_count &&
           (a.range_count == 0 || (a.rule.first == b.rule.first && a.rule.step == b.rule.step)) &&
           a.reals == b.reals && a.labels == b.labels;
}

/// Whether the conditions of both are the same expressions over as many parameters; tables and
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

/// Whether the result of `c` may differ between `now` and `before`, apart from tables. True for an
/// opaque predicate, because the inputs that it reads are unknown.
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

/// For each parameter of `now`, whether its tree may differ from that of `before`. Marks all or
/// none of the parameters of a condition.
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
