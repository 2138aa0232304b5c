// attune/tune/minimize_with_budget.ipp - the loop over configurations and their budgets.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/search/stop.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/minimize_with_budget.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE budgeted_minimum
minimize_points_with_budget(chain_of_trees const& space,
                            std::function<outcome(point const&, double)> const& objective,
                            minimize_with_budget_options const& options)
{
    hyperband_options with = options.budgets;
    if (std::optional<point> initial = default_point(space))
        with.first.insert(with.first.begin(), std::move(*initial));
    hyperband search(space, options.seed, with);
    double const most = hyperband_brackets(with).front().back().budget;
    search_limits const& limits = options.limits;
    run_state board{
        options.name, limits, std::numeric_limits<std::uint32_t>::max(), options.progress};
    board.set_unit_is_seconds(false);
    search_limits good_enough = limits;
    good_enough.evaluations = search_limits::any_number;
    good_enough.seconds = search_limits::any_time;
    stop_judge judge(good_enough); // of values at the most budget
    interrupt_guard const interrupt{interrupt_guard::afterwards::caller_knows};
    double largest = 0; // budget with which anything worked
    budgeted_minimum out;
    out.ended = "budget";
    while ((board.evaluations() == 0 || board.budget_left()) && !interrupt.requested()) {
        std::vector<fidelity_trial> const next = search.ask();
        if (next.empty()) break;
        fidelity_trial const& trial = next.front();
        outcome result = objective(trial.where, trial.budget);
        if (auto const* const m = std::get_if<measurement>(&result)) {
            outcome checked = outcome_of(m->value);
            if (!succeeded(checked)) result = std::move(checked);
        }
        search.tell(trial, result);
        if (succeeded(result) && trial.budget > largest) {
            largest = trial.budget;
            board.forget_best();
        }
        board.add(trial.where,
                  result,
                  text_of(space.describe(), trial.where) + " with budget " +
                      formatted("%.6g", trial.budget),
                  trial.budget == largest);
        if (trial.budget < most) continue;
        judge.add(result);
        if (judge.verdict(0)) {
            out.ended = "stop rule";
            break;
        }
    }
    std::string text;
    if (search.best()) {
        out.best = search.best()->where;
        out.value = search.best()->value;
        out.budget = search.best()->budget;
        text = " with budget " + formatted("%.6g", out.budget);
    }
    out.spent = search.spent();
    conclude(out, board, space.describe(), limits, interrupt.requested(), text);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
