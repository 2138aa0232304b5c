// attune/space/conditions/conditions.hpp - divides constraints into conditions, which a tree tests one by one; the remaining values of a parameter.
// SPDX-License-Identifier: MIT
//
// `a && b` holds if and only if a holds and b holds, also if a or b has no value. So the conditions
// together are equal to the constraint.
// Source   own: rejection of draws of real parameters, which stay uniform for any condition
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One conjunct of a constraint.
struct condition {
    std::uint32_t source = 0;          ///< index of its constraint
    std::uint32_t root = no_index;     ///< node in the description; no_index: opaque
    std::vector<std::uint32_t> scope;  ///< parameters that it reads, ascending and unique
    bool reads_real = false;           ///< reads a real parameter, which is in no tree
    std::vector<std::uint32_t> also{}; ///< further roots that must hold (join_alike)
};

/// Returns true if the condition has a value other than 0 at `at`, one coordinate per parameter.
/// Cost   one visit per node reached, or one call of an opaque predicate
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

/// Throws if a node below `root` reads an input without a value.
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

/// Throws attune::error, with the name, if an input of a table or constraint has no value, or if a
/// parameter has no values.
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

/// Union-find with path halving.
class partition {
public:
    explicit partition(std::size_t size)
        : parent_(size)
    {
        std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
    }
    std::uint32_t find(std::uint32_t i) noexcept
    {
        while (parent_[i] != i)
            i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    /// Merges two sets; the lower root becomes the root.
    void unite(std::uint32_t a, std::uint32_t b) noexcept
    {
        a = find(a);
        b = find(b);
        if (a < b)
            parent_[b] = a;
        else
            parent_[a] = b;
    }

private:
    std::vector<std::uint32_t> parent_;
};

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

/// Erases the conditions that others have in `also`.
inline void erase_joined(std::vector<condition>& conditions, std::vector<bool> const& is_joined)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < conditions.size(); ++i)
        if (!is_joined[i]) {
            if (kept != i) conditions[kept] = std::move(conditions[i]);
            ++kept;
        }
    conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(kept), conditions.end());
}

/// Joins many conditions of equal scope, such as a list of forbidden configurations, so that they
/// have one diagram. Does not join opaque conditions and conditions over reals.
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
    erase_joined(conditions, is_joined);
}

/// Returns true if a coordinate is a value of its parameter.
inline bool is_inside(parameter_description const& parameter, coordinate at)
{
    if (parameter.traits().is_interval)
        return parameter.low <= at.real && at.real <= parameter.high;
    return at.index < parameter.value_count();
}

/// The real parameters of a space and the conditions that read at least one of them.
struct real_part {
    std::vector<std::uint32_t> parameters;
    std::vector<condition> conditions;

    real_part() = default;
    real_part(description const& space, std::vector<condition> over_reals)
        : conditions(std::move(over_reals))
    {
        for (std::uint32_t p = 0; p < space.parameters.size(); ++p)
            if (space.parameters[p].traits().is_interval) parameters.push_back(p);
    }

    /// @pre  the discrete parameters of `at` are inside their tables
    [[nodiscard]] bool accepts(description const& space, point const& at) const
    {
        for (std::uint32_t const p : parameters)
            if (!is_inside(space.parameters[p], at[p])) return false;
        return std::all_of(conditions.begin(), conditions.end(),
                           [&](condition const& c) { return holds(space, c, at); });
    }

    /// Draws until 10 draws are accepted, at most 100'000 times. Throws, with the constraint that
    /// refused most draws, if fewer than about 1 in 10'000 are accepted.
    /// @param draw  overwrites `at` with a new draw
    template <class Draw>
    void require_acceptance(description const& space, point const& at, Draw const& draw) const
    {
        constexpr int most_draws = 100'000;
        constexpr int enough = 10;
        if (conditions.empty()) return;
        std::vector<int> refused(conditions.size(), 0);
        int accepted = 0;
        for (int i = 0; i < most_draws && accepted < enough; ++i) {
            draw();
            bool all = true;
            for (std::size_t c = 0; c < conditions.size(); ++c) {
                if (holds(space, conditions[c], at)) continue;
                all = false;
                ++refused[c];
            }
            accepted += all ? 1 : 0;
        }
        if (accepted >= enough) return;
        auto const worst = std::max_element(refused.begin(), refused.end()) - refused.begin();
        refuse(space, conditions[static_cast<std::size_t>(worst)].source);
    }

    /// Throws the error for constraints that accept almost nothing.
    [[noreturn]] void refuse(description const& space, std::uint32_t source = no_index) const
    {
        std::string where;
        if (source == no_index)
            for (condition const& c : conditions)
                where += (where.empty() ? "" : "; ") + constraint_text(space, c.source);
        else
            where = constraint_text(space, source);
        throw error("a constraint over real parameters accepts fewer than one draw in 10000", where,
                    "narrow the intervals of the real parameters that it reads, so that most of "
                    "their values are valid");
    }
};

/// The values of a parameter that may be part of a valid configuration.
class domain {
public:
    explicit domain(std::uint32_t count = 0) noexcept
        : count_(count)
    {
    }
    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return filtered_ ? static_cast<std::uint32_t>(kept_.size()) : count_;
    }
    /// The i-th remaining value, as an index into the parameter's table; ascending in i.
    [[nodiscard]] std::uint32_t value(std::uint32_t i) const noexcept
    {
        return filtered_ ? kept_[i] : i;
    }
    [[nodiscard]] bool is_whole() const noexcept { return !filtered_; }
    /// The place of an index into the table; nothing if its value does not remain.
    [[nodiscard]] std::optional<std::uint32_t> place_of(std::uint32_t index) const
    {
        if (!filtered_) return index < count_ ? std::optional(index) : std::nullopt;
        auto const at = std::lower_bound(kept_.begin(), kept_.end(), index);
        if (at == kept_.end() || *at != index) return std::nullopt;
        return static_cast<std::uint32_t>(at - kept_.begin());
    }
    /// Keeps the i-th remaining value if `keep[i]`.
    void filter(std::vector<bool> const& keep)
    {
        auto const count = static_cast<std::size_t>(std::count(keep.begin(), keep.end(), true));
        if (count == size()) return;
        std::vector<std::uint32_t> kept(count);
        std::uint32_t i = 0;
        std::size_t next = 0;
        for (bool const is_kept : keep) {
            if (is_kept) kept[next++] = value(i);
            ++i;
        }
        kept_ = std::move(kept);
        filtered_ = true;
    }

    /// Keeps the remaining values in runs of places, which are ascending and disjoint.
    template <class Runs>
    void keep(Runs const& runs)
    {
        std::vector<std::uint32_t> kept;
        for (auto const& run : runs)
            for (std::uint32_t i = run.first; i < run.end; ++i)
                kept.push_back(value(i));
        if (kept.size() == size()) return;
        kept_ = std::move(kept);
        filtered_ = true;
    }

private:
    std::uint32_t count_;
    bool filtered_ = false;
    std::vector<std::uint32_t> kept_;
};

/// Every discrete parameter at its first remaining value, every real one at its lower end.
inline point first_values(description const& space, std::vector<domain> const& domains)
{
    point at(space.parameters.size());
    for (std::size_t i = 0; i < at.size(); ++i)
        if (domains[i].size() > 0)
            at[i].index = domains[i].value(0);
        else
            at[i].real = space.parameters[i].low;
    return at;
}

/// The parameters in the scope of `c` with more than one remaining value.
inline std::vector<std::uint32_t> open_scope(condition const& c, std::vector<domain> const& domains)
{
    std::vector<std::uint32_t> open;
    for (std::uint32_t const p : c.scope)
        if (domains[p].size() > 1) open.push_back(p);
    return open;
}

} // namespace attune::inline ATTUNE_ABI::detail
