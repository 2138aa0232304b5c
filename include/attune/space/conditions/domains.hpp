// attune/space/conditions/domains.hpp - removes impossible values from domains.
// SPDX-License-Identifier: MIT
// Source   own: generalised arc consistency by a decision diagram of each condition and of those
//          whose parameters are a subset of its own
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

namespace attune::inline ATTUNE_ABI {

namespace detail {

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

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
