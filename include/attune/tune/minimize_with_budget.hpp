// attune/tune/minimize_with_budget.hpp - searches for the best configuration of a function that takes a budget.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/hyperband.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/minimize.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct minimize_with_budget_options {
    hyperband_options budgets{}; ///< smallest, largest and total budget
    /// Limits beside budgets.rounds and budgets.total_budget. `target` and `patience` count only
    /// values at the most budget; expected_gain has no effect, which a notice says.
    search_limits limits{};
    std::uint64_t seed = 0;
    search_factory search{}; ///< proposes configurations: see hyperband; empty: uniform draws
    std::vector<input_value> inputs{};
    progress_sink progress = default_progress();
    std::string name = "minimize_with_budget"; ///< in messages
};

/// The member `best` is the best at the largest budget with which any configuration worked.
template <class Config>
struct minimize_with_budget_result : minimize_result<Config> {
    double budget = 0; ///< at which `best` has `value`
    double spent = 0;  ///< the sum of all budgets
};

namespace detail {

/// A minimize_with_budget_result without the types of the space.
struct budgeted_minimum : found_minimum {
    double budget = 0;
    double spent = 0;
};

/// The loop of minimize_with_budget().
[[nodiscard]] budgeted_minimum
minimize_points_with_budget(chain_of_trees const& space,
                            std::function<outcome(point const&, double budget)> const& objective,
                            minimize_with_budget_options const& options);

} // namespace detail

/// Looks for the configuration with the lowest objective at the most budget, by Hyperband.
///
/// @param typed      the pack of attune::space(...)
/// @param objective  called as objective(config, budget), budget a double of options.budgets;
///                   returns a number, or an attune::outcome if a configuration may fail.
///                   Exceptions end the search and reach the caller.
/// @param options    If limits.evaluations or limits.seconds is 0, only one configuration is
///                   evaluated, with the least budget. The first configuration is the default if
///                   every parameter has one.
/// Errors   attune::error for an empty space, a missing input, or wrong budgets: hyperband
/// Example  auto const r = attune::minimize_with_budget(
///              space, [](auto const& c, double epochs) { return loss(c, epochs); },
///              {.budgets = {.least_budget = 1, .most_budget = 81}});
template <class Pack, class Objective>
[[nodiscard]] minimize_with_budget_result<typename Pack::config_type>
minimize_with_budget(Pack const& typed, Objective&& objective,
                     minimize_with_budget_options const& options = {})
{
    using config_type = typename Pack::config_type;
    constexpr bool callable = std::is_invocable_v<Objective&, config_type const&, double>;
    static_assert(callable,
                  "attune: minimize_with_budget(space, objective, options): the objective must "
                  "take a configuration of the space and a budget, a double, and return a number "
                  "or an attune::outcome");
    minimize_with_budget_result<config_type> out;
    if constexpr (callable) {
        chain_of_trees const space = build(typed, options.inputs);
        detail::budgeted_minimum const found = detail::minimize_points_with_budget(
            space,
            [&](point const& at, double budget) -> outcome {
                config_type const tried = decode(typed, space.describe(), at);
                return detail::objective_outcome(objective(tried, budget));
            },
            options);
        detail::take_minimum(out, found, typed, space);
        out.budget = found.budget;
        out.spent = found.spent;
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/minimize_with_budget.ipp>
#endif
