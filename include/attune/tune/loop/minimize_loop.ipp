// attune/tune/loop/minimize_loop.ipp - limits, failures and sentences of the loops over an objective.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/loop/minimize_loop.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE run_state objective_board(std::string const& name, search_limits const& limits,
                                        std::uint32_t possible, progress_sink const& sink)
{
    run_state out{name, limits, possible, sink};
    out.set_unit_is_seconds(false);
    return out;
}

ATTUNE_INLINE search_limits without_cost(search_limits limits) noexcept
{
    limits.evaluations = search_limits::any_number;
    limits.seconds = search_limits::any_time;
    return limits;
}

ATTUNE_INLINE void refuse_not_finite(outcome& result)
{
    auto const* const m = std::get_if<measurement>(&result);
    if (m == nullptr) return;
    outcome checked = outcome_of(m->value);
    if (!succeeded(checked)) result = std::move(checked);
}

ATTUNE_INLINE std::string text_of_failures(run_state const& board)
{
    std::string out = "every configuration failed: " + describe(board.failures());
    if (!board.first_failures().empty())
        out += "; the first said: " + board.first_failures().front().reason;
    return out;
}

ATTUNE_INLINE void tell_rules_without_effect(run_state const& board, search_limits const& limits,
                                             bool gain_only, std::string const& function)
{
    search_limits const unset;
    std::string names;
    auto const name = [&](bool is_set, char const* what) {
        if (is_set) names += (names.empty() ? "" : ", ") + std::string(what);
    };
    name(!gain_only && limits.target != unset.target, "target");
    name(!gain_only && limits.improvement != unset.improvement, "improvement");
    name(limits.expected_gain != unset.expected_gain, "expected_gain");
    if (!names.empty())
        board.announce(progress_event::notice,
                       "search_limits: " + names + " ends nothing in " + function);
}

} // namespace attune::inline ATTUNE_ABI::detail
