// attune/space/query/explain.hpp - why a space has no valid configuration.
// SPDX-License-Identifier: MIT
// Source   own: a minimal conflict by deletion, one constraint at a time
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/query/explanation.hpp>
#include <attune/space/tree/build.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Indices of constraints that no configuration satisfies together, but that become satisfiable
/// when any one of them is dropped. Constraints over real parameters are not included.
/// @pre   no configuration satisfies all of them
/// Cost   one search for a valid configuration per constraint. A search that reaches the limits of
///        `options` counts as successful, so its constraint is included even if not needed.
[[nodiscard]] inline std::vector<std::uint32_t>
contradicting_constraints(description const& space, build_options options = {})
{
    options.max_visits = std::min<std::uint64_t>(options.max_visits, 1'000'000);
    options.enumeration.wide_settings =
        std::min<std::uint64_t>(options.enumeration.wide_settings, 100'000);
    std::vector<detail::condition> const all = detail::conditions_of(space);
    std::vector<bool> needed(space.constraints.size(), true);
    for (std::uint32_t tried = 0; tried < needed.size(); ++tried) {
        needed[tried] = false;
        std::vector<detail::condition> rest;
        for (detail::condition const& c : all)
            if (needed[c.source] && !c.reads_real) rest.push_back(c);
        needed[tried] = detail::is_satisfiable(space, std::move(rest), options);
    }
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < needed.size(); ++i)
        if (needed[i]) out.push_back(i);
    return out;
}

namespace detail {

/// ": 3 * 9000000000000000000 overflows 64 bits" for a constraint without a value at the first
/// value of every parameter; else nothing.
[[nodiscard]] inline std::string why_valueless(description const& space, std::uint32_t constraint)
{
    point first(space.parameters.size());
    for (std::size_t i = 0; i < first.size(); ++i)
        if (space.parameters[i].traits().is_interval) first[i].real = space.parameters[i].low;
    for (broken_constraint const& broken : explain(space, first))
        if (broken.constraint == constraint && (broken.how == constraint_fault::overflow ||
                                                broken.how == constraint_fault::division_by_zero))
            return ": " + broken.because;
    return "";
}

/// Throws the error for a space without a valid configuration.
[[noreturn]] inline void throw_empty(description const& space, build_options const& options)
{
    std::vector<std::uint32_t> const set = contradicting_constraints(space, options);
    if (set.size() == 1)
        throw error("the space is empty: a constraint holds for no configuration",
                    constraint_text(space, set.front()) +
                        text_of_inputs(space, space.constraints[set.front()]) +
                        why_valueless(space, set.front()),
                    space.constraints[set.front()].advice.empty()
                        ? "loosen it, or give its parameters more values"
                        : space.constraints[set.front()].advice);
    std::string where;
    for (std::uint32_t const i : set)
        where += (where.empty() ? "" : "; ") + constraint_text(space, i) +
                 text_of_inputs(space, space.constraints[i]);
    throw error("the space is empty: " + std::to_string(set.size()) +
                    " constraints contradict each other",
                where, "drop or loosen one of them, or give their parameters more values");
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
