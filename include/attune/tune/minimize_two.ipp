// attune/tune/minimize_two.ipp - the loop over configurations with two values.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/minimize_two.hpp>

#include <cmath>
#include <limits>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::string text_of_two(two_values const& v)
{
    return "(" + formatted("%.6g", v[0]) + ", " + formatted("%.6g", v[1]) + ")";
}

/// What is said at the end.
[[nodiscard]] inline std::string text_of_front(std::vector<pareto_member> const& front,
                                               run_state const& board)
{
    std::string const after = " after " + std::to_string(board.evaluations()) + " evaluations";
    if (front.empty())
        return "every configuration failed: " + describe(board.failures()) +
               (board.first_failures().empty()
                    ? ""
                    : "; the first said: " + board.first_failures().front().reason);
    if (front.size() == 1)
        return "one configuration is best in both, " + text_of_two(front.front().values) + "," +
               after;
    return std::to_string(front.size()) + " configurations from " +
           text_of_two(front.front().values) + " to " + text_of_two(front.back().values) + after;
}

ATTUNE_INLINE found_front
minimize_two_of_points(chain_of_trees const& space,
                       std::function<two_outcome(point const&)> const& objective,
                       search_limits const& limits,
                       minimize_two_options const& options)
{
    pareto_search search(space, options.seed, options.front);
    run_state board{
        options.name, limits, std::numeric_limits<std::uint32_t>::max(), options.progress};
    board.set_unit_is_seconds(false);
    interrupt_guard const interrupt{interrupt_guard::afterwards::caller_knows};
    found_front out;
    std::uint64_t unchanged = 0; // outcomes since the front changed
    while ((board.evaluations() == 0 || board.budget_left()) && !interrupt.requested() &&
           unchanged < limits.patience) {
        std::vector<point> const next = search.ask(1);
        if (next.empty()) break;
        point const& at = next.front();
        two_outcome const seen = objective(at);
        search.tell(at, seen);
        auto const* const values = std::get_if<two_values>(&seen);
        outcome counted = failure{};
        if (values == nullptr)
            counted = std::get<failure>(seen);
        else
            counted = outcome_of(std::isfinite((*values)[0]) ? (*values)[1] : (*values)[0]);
        std::string text = text_of(space.describe(), at);
        if (values != nullptr) text += ": " + text_of_two(*values);
        board.add(at, counted, text, false); // there is no single best
        std::vector<pareto_member> front = search.front();
        unchanged = front == out.front ? unchanged + 1 : 0;
        out.front = std::move(front);
    }
    out.evaluations = board.evaluations();
    out.failures = board.failures();
    out.interrupted = interrupt.requested();
    board.announce(progress_event::finished,
                   wants_tuning(limits) ? text_of_front(out.front, board)
                                        : "nothing was searched: the budget is zero");
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
