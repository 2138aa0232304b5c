// attune/tune/together.ipp - all steps of a session at once, and its report.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/together.hpp>
#include <attune/tune/together/together_tuning.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::string together_report::summary() const
{
    detail::own_float_environment const numbers;
    std::string out;
    for (share_report const& one : shares) {
        out += one.report.kernel + ": " + one.report.summary();
        if (one.calls > 0) out += detail::formatted("; %.3g calls", one.calls);
        out += '\n';
    }
    out += "together: ";
    if (best_s > 0)
        out += detail::formatted("%.2fx faster than the defaults: ", speedup()) +
               text_of_quantity(best_s, true) + ", was " + text_of_quantity(default_s, true) + "; ";
    return out + detail::count_text(evaluations, "evaluation") + " in " +
           detail::formatted("%.1f s", elapsed_s) + (interrupted ? ", interrupted" : "");
}

namespace detail {

ATTUNE_INLINE together_report tune_together_by(turn_policy const& whose_turn,
                                               search_limits const& budget,
                                               std::vector<tuning_share> const& shares)
{
    own_float_environment const numbers;
    together_tuning all(budget, shares, together_tuning::arrays::of_the_caller, whose_turn);
    while (all.step()) {
    }
    return all.finish();
}

} // namespace detail

ATTUNE_INLINE together_report tune_together(search_limits const& budget,
                                            std::vector<tuning_share> const& shares)
{
    return detail::tune_together_by({}, budget, shares);
}

} // namespace attune::inline ATTUNE_ABI
