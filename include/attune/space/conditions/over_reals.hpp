// attune/space/conditions/over_reals.hpp - real parameters, and the conditions that read them.
// SPDX-License-Identifier: MIT
// Source   own: rejection, which stays uniform for any condition
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/conditions/conditions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether a coordinate names a value of its parameter.
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

    /// Throws when fewer than about one draw in 10'000 is accepted, naming the constraint that
    /// refused most draws. Cost: 10 accepted draws, or 100'000 draws.
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

} // namespace attune::inline ATTUNE_ABI::detail
