// attune/tune/minimize_with_budget.ipp - a search over configurations and budgets, as an evaluated search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/minimize_with_budget.hpp>

#include <limits>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A search of minimize_with_budget() and its objective. See evaluated_search.
struct budgeted_search {
    using trial = fidelity_trial;

    chain_of_trees const& space;
    std::function<outcome(point const&, double)> const& objective;
    double most; ///< budget
    hyperband search;
    stop_judge judge;   ///< of values at the most budget
    double largest = 0; ///< budget with which any configuration worked

    [[nodiscard]] std::optional<fidelity_trial> ask()
    {
        std::vector<fidelity_trial> next = search.ask();
        return next.empty() ? std::nullopt : std::optional<fidelity_trial>(std::move(next.front()));
    }
    void take(fidelity_trial const& asked, run_state& board)
    {
        outcome result = [&] {
            hosts_float_environment const of_host{hosts_float_environment::flags::kept};
            return objective(asked.where, asked.budget);
        }();
        refuse_not_finite(result);
        search.tell(asked, result);
        if (succeeded(result) && asked.budget > largest) {
            largest = asked.budget;
            board.forget_best();
        }
        board.add(asked.where, result,
                  text_of(space.describe(), asked.where) + " with budget " +
                      formatted("%.6g", asked.budget),
                  asked.budget == largest);
        if (asked.budget >= most) judge.add(result);
    }
    /// Judges only trials with the most budget: the rules hold from the first of them on.
    [[nodiscard]] bool meets_a_rule() const
    {
        return judge.evaluations() > 0 && judge.verdict(0).has_value();
    }
    /// The brackets of Hyperband end the search as a budget.
    [[nodiscard]] bool is_exhausted() const { return false; }
};

ATTUNE_INLINE budgeted_minimum minimize_points_with_budget(
    chain_of_trees const& space, std::function<outcome(point const&, double)> const& objective,
    minimize_with_budget_options const& options)
{
    own_float_environment const numbers;
    hyperband_options with = options.budgets;
    if (std::optional<point> initial = default_point(space))
        with.first.insert(with.first.begin(), std::move(*initial));
    budgeted_search trials{.space = space,
                           .objective = objective,
                           .most = hyperband_brackets(with).front().back().budget,
                           .search = hyperband(space, options.seed, with, options.search),
                           .judge = stop_judge(without_cost(options.limits))};
    run_state board = objective_board(options.name, options.limits,
                                      std::numeric_limits<std::uint32_t>::max(), options.progress);
    tell_rules_without_effect(board, options.limits, true, "minimize_with_budget");
    loop_end const end = run_minimize_loop(trials, board);
    budgeted_minimum out;
    out.ended = end.ended;
    std::string text;
    if (trials.search.best()) {
        out.best = trials.search.best()->where;
        out.value = trials.search.best()->value;
        out.budget = trials.search.best()->budget;
        text = " with budget " + formatted("%.6g", out.budget);
    }
    out.spent = trials.search.spent();
    conclude(out, board, space.describe(), options.limits, end.interrupted, text);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
