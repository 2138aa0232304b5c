// attune/space/conditions/conditions.hpp - divides constraints into conditions, which a tree tests one by one.
// SPDX-License-Identifier: MIT
//
// `a && b` holds if and only if a holds and b holds, also if one of them has no value, so the
// conditions together mean the same as the constraint.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/expression/walk.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One conjunct of a constraint.
struct condition {
    std::uint32_t source = 0;          ///< index of its constraint
    std::uint32_t root = no_index;     ///< node in the description; no_index: opaque
    std::vector<std::uint32_t> scope;  ///< parameters it reads, ascending and unique
    bool reads_real = false;           ///< reads a real parameter, which is in no tree
    std::vector<std::uint32_t> also{}; ///< further roots that must hold (join_alike)
};

/// Whether the condition has a value at `at`, one coordinate per parameter of `space`, and the
/// value is not zero. Cost: one visit per node reached, or one call of an opaque predicate.
[[nodiscard]] inline bool holds(description const& space, condition const& tested,
                                std::span<coordinate const> at)
{
    evaluator const read(space);
    if (tested.root == no_index) return read.holds(space.constraints[tested.source], at);
    auto const is_true = [&](std::uint32_t root) {
        std::optional<number> const v = read.value(root, at);
        return v && v->as_real() != 0;
    };
    return is_true(tested.root) && std::all_of(tested.also.begin(), tested.also.end(), is_true);
}

/// Constraint `index` in the text of an error: its own text, or its number if it has none.
[[nodiscard]] inline std::string constraint_text(description const& space, std::uint32_t index)
{
    std::string const& text = space.constraints[index].text;
    return text.empty() ? "constraint " + std::to_string(index + 1) : text;
}

/// Throws when a node below `root` reads an input that has no value.
inline void require_inputs(description const& space, std::uint32_t root, std::string const& where)
{
    if (root == no_index) return;
    walk_expression(space, root, [&](expression_node const& n) {
        if (n.code == op::input && !space.inputs[n.subject].value)
            throw error("input " + space.inputs[n.subject].name + " has no value", where,
                        "give the value of " + space.inputs[n.subject].name +
                            " before the space is built");
    });
}

inline void require_values(parameter_description const& parameter)
{
    if (!parameter.traits().is_interval) {
        if (parameter.value_count() > 0) return;
        throw error("a parameter has no values", "parameter " + parameter.name,
                    "give it at least one value; a range whose last value is below its first one "
                    "is empty");
    }
    bool const ordered = std::isfinite(parameter.low) && std::isfinite(parameter.high) &&
                         parameter.low <= parameter.high;
    if (!ordered || (parameter.on == scale::log && parameter.low <= 0))
        throw error("a real parameter needs a finite interval, above 0 on a logarithmic scale",
                    "parameter " + parameter.name, "correct its bounds");
}

/// Throws attune::error, naming the input or parameter, when an input of a table or constraint has
/// no value, or when a parameter has no values.
inline void require_bound(description const& space)
{
    for (parameter_description const& parameter : space.parameters) {
        if (!parameter.traits().is_interval && parameter.value_count() == 0)
            require_inputs(space, parameter.rule.bound_node,
                           "values of parameter " + parameter.name);
        require_values(parameter);
    }
    for (parameter_description const& parameter : space.parameters)
        require_inputs(space, parameter.active.root, "active_if() of parameter " + parameter.name);
    for (std::uint32_t i = 0; i < space.constraints.size(); ++i)
        require_inputs(space, space.constraints[i].root, "constraint " + constraint_text(space, i));
}

/// Every constraint of `space`, divided at its outermost conjunctions, in order of declaration.
[[nodiscard]] inline std::vector<condition> conditions_of(description const& space)
{
    std::vector<condition> out;
    auto const add = [&](std::uint32_t source, std::uint32_t root, auto scope) {
        bool const real = std::any_of(scope.begin(), scope.end(), [&](std::uint32_t p) {
            return space.parameters[p].traits().is_interval;
        });
        out.push_back({source, root, std::move(scope), real});
    };
    for (std::uint32_t i = 0; i < space.constraints.size(); ++i) {
        constraint_description const& whole = space.constraints[i];
        if (whole.test) {
            std::vector<std::uint32_t> scope = whole.scope;
            sort_unique(scope);
            add(i, no_index, std::move(scope));
            continue;
        }
        std::vector<std::uint32_t> open{whole.root};
        while (!open.empty()) {
            std::uint32_t const root = open.back();
            open.pop_back();
            expression_node const& n = space.nodes[root];
            if (n.code == op::logical_and) {
                open.push_back(n.second);
                open.push_back(n.first);
            } else {
                add(i, root, parameters_read(space, root));
            }
        }
    }
    return out;
}

/// Joins the conditions of equal scope where there are many, such as a list of forbidden
/// configurations: one diagram then has them all. Opaque ones and those over reals stay.
inline void join_alike(std::vector<condition>& conditions)
{
    constexpr std::size_t many = 16;
    if (conditions.size() < many) return;
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < conditions.size(); ++i)
        if (conditions[i].root != no_index && !conditions[i].reads_real)
            alike[conditions[i].scope].push_back(i);
    std::vector<bool> is_joined(conditions.size(), false);
    for (auto const& [scope, members] : alike) {
        if (members.size() < many) continue;
        for (std::size_t k = 1; k < members.size(); ++k) {
            conditions[members[0]].also.push_back(conditions[members[k]].root);
            is_joined[members[k]] = true;
        }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < conditions.size(); ++i)
        if (!is_joined[i]) {
            if (kept != i) conditions[kept] = std::move(conditions[i]);
            ++kept;
        }
    conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(kept), conditions.end());
}

} // namespace attune::inline ATTUNE_ABI::detail
