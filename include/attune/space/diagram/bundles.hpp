// attune/space/diagram/bundles.hpp - selects the conditions that share a diagram.
// SPDX-License-Identifier: MIT
// Source   own: a condition joins one that reads all its parameters if no level then needs more
//          values than before; the joined diagram does not visit settings that it refuses
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/diagram/constraint_program.hpp>
#include <attune/space/diagram/diagram_maker.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Conditions that become one node.
using bundle = std::vector<condition const*>;

/// Whether a state of `more` separates no more settings than one of `fewer`, whose conditions are
/// the first ones of `more`.
[[nodiscard]] inline bool needs_no_more(constraint_program const& more,
                                        constraint_program const& fewer)
{
    for (std::size_t l = 0; l < fewer.levels().size(); ++l) {
        program_level const& a = more.levels()[l];
        program_level const& b = fewer.levels()[l];
        if (a.needed != b.needed) return false;
        if (a.threshold == b.threshold || b.threshold == no_index) continue;
        // Without the threshold every value is a state: few if they belong to one parameter.
        for (std::uint32_t const s : b.needed)
            if (!fewer.slots()[s].is_known) return false;
    }
    return true;
}

/// Bundles the conditions of a group.
/// Cost  one program per pair of conditions of which one reads all parameters of the other
[[nodiscard]] inline std::vector<bundle> make_bundles(diagram_maker const& maker,
                                                      std::span<condition const> conditions)
{
    // A long condition has a diagram of its own; programs of it with others are not worth their
    // cost.
    std::set<condition const*> alone;
    for (condition const& c : conditions)
        if (maker.is_long(c)) alone.insert(&c);
    auto const is_part_of = [&](condition const& a, condition const& b) {
        if (&a != &b && b.root != no_index && (alone.contains(&a) || alone.contains(&b)))
            return false;
        return &a != &b && a.root != no_index &&
               std::includes(b.scope.begin(), b.scope.end(), a.scope.begin(), a.scope.end());
    };
    bundle by_scope;
    for (condition const& c : conditions)
        by_scope.push_back(&c);
    std::sort(by_scope.begin(), by_scope.end(), [](auto const* a, auto const* b) {
        return a->scope.size() != b->scope.size() ? a->scope.size() > b->scope.size() : a < b;
    });
    std::vector<bundle> out;
    std::vector<bool> is_told(by_scope.size(), false);
    for (std::size_t i = 0; i < by_scope.size(); ++i) {
        if (is_told[i]) continue;
        bundle made{by_scope[i]};
        bool const is_called = made.front()->root == no_index;
        for (std::size_t k = is_called ? 0 : i + 1; k < by_scope.size(); ++k) {
            if (!is_part_of(*by_scope[k], *made.front())) continue;
            bundle more = made;
            more.push_back(by_scope[k]);
            // A predicate must not be called where others refuse, so it always joins them.
            if (!is_called) {
                if (!needs_no_more(maker.program_of(more), maker.program_of(made))) continue;
                is_told[k] = true;
            }
            made = std::move(more);
        }
        out.push_back(std::move(made));
    }
    // In order of declaration, contradictions are found early.
    std::sort(out.begin(), out.end(),
              [](bundle const& a, bundle const& b) { return a.front() < b.front(); });
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
