// attune/space/conditions/domains.hpp - removes impossible values from domains; the groups of parameters that conditions tie together.
// SPDX-License-Identifier: MIT
// Source   own: generalised arc consistency by a decision diagram of each condition and of those
//          whose parameters are a subset of its own
// Source   BaCO Sec. 4.2 (parameters of different trees are independent); own: parameters with one
//          value connect nothing, conditions that always hold are dropped first
// Source   own: parameters affected by a changed table or input, closed over the conditions
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/conditions/clauses.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/place_runs.hpp>
#include <attune/space/conditions/proof.hpp>
#include <attune/space/diagram/diagram.hpp>
#include <attune/space/diagram/diagram_maker.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Number of settings of `parameters`; nothing if they are too many to enumerate.
inline std::optional<std::uint64_t> few_settings(std::vector<std::uint32_t> const& parameters,
                                                 std::vector<domain> const& domains,
                                                 enumeration_limits const& limits)
{
    std::uint64_t product = 1;
    bool wide = false;
    for (std::uint32_t const p : parameters) {
        if (__builtin_mul_overflow(product, std::uint64_t{domains[p].size()}, &product)) return {};
        wide = wide || domains[p].size() >= limits.wide_values;
    }
    std::uint64_t const limit = wide ? limits.wide_settings : limits.settings;
    return product <= limit ? std::optional(product) : std::nullopt;
}

enum class verdict { always, never, sometimes };

/// The values that occur in the valid settings of a diagram.
struct support {
    std::vector<std::vector<bool>> values; ///< per level and value: true if a valid setting has it
    bool is_product = true;                ///< every setting of these values is valid
};

inline support support_of(diagram_store const& store, std::uint32_t root)
{
    support out;
    for (std::size_t l = 0; l < store.level_count(); ++l)
        out.values.emplace_back(store.size_of(l), false);
    auto const pass_over = [&](std::size_t from, std::size_t to) {
        for (std::size_t l = from; l < to; ++l)
            out.values[l].assign(store.size_of(l), true);
    };
    std::vector<std::uint32_t> reached{root};
    std::vector<bool> seen(store.node_count(), false);
    pass_over(0, store.level(root));
    for (std::size_t i = 0; i < reached.size(); ++i) {
        std::size_t const level = store.level(reached[i]);
        if (level == store.level_count()) continue;
        std::span<std::uint32_t const> const children = store.children(reached[i]);
        std::uint32_t last = never_node;
        for (std::size_t v = 0; v < children.size(); ++v) {
            std::uint32_t const child = children[v];
            if (child == never_node) continue;
            out.values[level][v] = true;
            if (child == last) continue;
            last = child;
            pass_over(level + 1, store.level(child));
            if (!seen[child]) reached.push_back(child);
            seen[child] = true;
        }
    }
    for (std::size_t i = 0; out.is_product && i < reached.size(); ++i) {
        std::size_t const level = store.level(reached[i]);
        for (std::size_t v = 0; level < store.level_count() && v < store.size_of(level); ++v)
            if (out.values[level][v] && store.child(reached[i], level, v) == never_node)
                out.is_product = false;
    }
    return out;
}

/// Finds the settings of `scope` on which `c` and `others` hold, and removes values that no setting
/// has. `others` read a subset of the parameters of `c`. Changes nothing once the budget is spent.
inline verdict enumerate(description const& space, condition const& c,
                         std::vector<condition const*> const& others,
                         std::vector<std::uint32_t> scope, std::vector<domain>& domains,
                         effort& budget)
{
    std::sort(scope.begin(), scope.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(domains[a].size(), a) < std::pair(domains[b].size(), b);
    });
    diagram_maker maker(space, domains, scope, budget);
    std::uint32_t const allowed = maker.make(others);
    std::vector<condition const*> all = others;
    all.push_back(&c);
    std::uint32_t const good = maker.make(all);
    if (budget.is_spent) return verdict::sometimes;
    if (good == never_node) return verdict::never;
    support const found = support_of(maker.store(), good);
    for (std::size_t k = 0; k < scope.size(); ++k)
        domains[scope[k]].filter(found.values[k]);
    return good == allowed || found.is_product ? verdict::always : verdict::sometimes;
}

/// The most values of a parameter whose conditions filter_long_ranges() tests, one bit per value.
inline constexpr std::uint32_t most_values_tested = std::uint32_t{1} << 25U;

/// From this number of values on, a short condition such as `x != 7` costs less by its terms than
/// as a diagram.
inline constexpr std::uint32_t fewest_values_by_terms = 4096;

/// The places of `parameter` where all roots of `c` hold.
/// @param is_quick  true: nothing if the reader needs the value at each place
[[nodiscard]] inline std::optional<place_runs> places_where(description const& space,
                                                            std::vector<domain> const& domains,
                                                            condition const& c,
                                                            std::uint32_t parameter, bool is_quick)
{
    if (c.root == no_index) return std::nullopt;
    place_reader read(space, domains);
    if (is_quick) read.be_quick();
    std::vector<std::uint32_t> roots{c.root};
    roots.insert(roots.end(), c.also.begin(), c.also.end());
    auto const broken = read.where_any(parameter, roots, true);
    if (!broken) return std::nullopt;
    return complement(*broken, domains[parameter].size());
}

/// Erases conditions of one parameter, and removes the values that break them, if the condition is
/// long or the parameter has many values. Leaves conditions that a diagram filters at lower cost.
/// @return false if no value remains
inline bool filter_long_ranges(description const& space, std::vector<condition>& conditions,
                               std::vector<domain>& domains, enumeration_limits const& limits)
{
    point at = first_values(space, domains);
    std::size_t kept = 0;
    for (std::size_t c = 0; c < conditions.size(); ++c) {
        std::vector<std::uint32_t> const scope = open_scope(conditions[c], domains);
        bool const is_one = scope.size() == 1;
        std::uint32_t const size = is_one ? domains[scope.front()].size() : 0;
        bool const is_quick = size <= limits.wide_settings;
        bool const is_tried = is_one && size <= most_values_tested &&
                              (size >= fewest_values_by_terms || is_long(space, conditions[c]));
        std::optional<place_runs> good;
        if (is_tried) good = places_where(space, domains, conditions[c], scope.front(), is_quick);
        if (is_tried && !good && !is_quick) {
            good.emplace();
            for (std::uint32_t i = 0; i < size; ++i) {
                at[scope.front()].index = domains[scope.front()].value(i);
                if (!holds(space, conditions[c], at)) continue;
                if (!good->empty() && good->back().end == i)
                    ++good->back().end;
                else
                    good->push_back({i, i + 1});
            }
        }
        if (!good) {
            if (kept != c) conditions[kept] = std::move(conditions[c]);
            ++kept;
            continue;
        }
        if (good->empty()) return false;
        domains[scope.front()].keep(*good);
        at[scope.front()].index = domains[scope.front()].value(0);
    }
    conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(kept), conditions.end());
    return true;
}

/// Erases conditions that intervals prove. Enumerates the others, fewest settings first, until
/// domains stop shrinking or the limits are reached, and erases conditions that then always hold.
/// @return false if one never holds
inline bool filter_domains(description const& space, std::vector<condition>& conditions,
                           std::vector<domain>& domains, enumeration_limits const& limits)
{
    if (!filter_long_ranges(space, conditions, domains, limits)) return false;
    join_dense(space, conditions, domains);
    if (conditions.empty()) return true;
    // A diagram of one long condition costs as much as the tree, and no other condition gains.
    if (conditions.size() == 1 && is_long(space, conditions.front())) return true;
    interval_prover const bounds(space);
    std::erase_if(conditions, [&](condition const& c) {
        return c.root != no_index && bounds.always_holds(c.root) &&
               std::all_of(c.also.begin(), c.also.end(),
                           [&](std::uint32_t root) { return bounds.always_holds(root); });
    });
    // A condition waits in the order of its number of settings, `known`. It does not wait if that
    // number is `done`: its last enumeration had the same settings.
    auto const count = static_cast<std::uint32_t>(conditions.size());
    std::vector<std::vector<std::uint32_t>> scopes(count);
    std::vector<std::uint64_t> done(count, 0), known(count, 0);
    std::vector<bool> is_erased(count, false);
    std::vector<std::vector<std::uint32_t>> readers(space.parameters.size());
    std::set<std::pair<std::uint64_t, std::uint32_t>> waiting;
    auto const look_again = [&](std::uint32_t c) {
        waiting.erase({known[c], c});
        scopes[c] = open_scope(conditions[c], domains);
        known[c] = few_settings(scopes[c], domains, limits).value_or(0);
        if (known[c] != done[c] && !is_erased[c]) waiting.emplace(known[c], c);
    };
    for (std::uint32_t c = 0; c < count; ++c) {
        look_again(c);
        for (std::uint32_t const p : scopes[c])
            readers[p].push_back(c);
    }
    effort budget{limits.max_visits, limits.max_bytes, false};
    bool is_empty = false;
    while (!budget.is_spent && !waiting.empty() && !is_empty) {
        std::uint32_t const next = waiting.begin()->second;
        std::vector<std::uint32_t> const scope = scopes[next];
        std::vector<std::uint32_t> sizes;
        std::vector<std::uint32_t> parts;
        for (std::uint32_t const p : scope) {
            sizes.push_back(domains[p].size());
            for (std::uint32_t const c : readers[p])
                if (c != next && !is_erased[c] &&
                    std::includes(scope.begin(), scope.end(), scopes[c].begin(), scopes[c].end()))
                    parts.push_back(c);
        }
        sort_unique(parts);
        std::vector<condition const*> others;
        for (std::uint32_t const c : parts)
            others.push_back(&conditions[c]);
        budget.bytes = limits.max_bytes; // the last enumeration has freed its memory
        verdict const found = enumerate(space, conditions[next], others, scope, domains, budget);
        is_empty = found == verdict::never;
        is_erased[next] = found == verdict::always;
        for (std::size_t k = 0; k < scope.size(); ++k)
            if (domains[scope[k]].size() != sizes[k])
                for (std::uint32_t const c : readers[scope[k]])
                    look_again(c);
        done[next] = known[next];
        waiting.erase({known[next], next});
    }
    std::size_t kept = 0;
    for (std::uint32_t c = 0; c < count; ++c)
        if (!is_erased[c]) {
            if (kept != c) conditions[kept] = std::move(conditions[c]);
            ++kept;
        }
    conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(kept), conditions.end());
    return !is_empty;
}

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
