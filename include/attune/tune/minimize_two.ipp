// attune/tune/minimize_two.ipp - a search for a front, as an evaluated search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
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

[[nodiscard]] inline std::string text_of_front(std::vector<pareto_member> const& front,
                                               run_state const& board)
{
    std::string const after = " after " + count_text(board.evaluations(), "evaluation");
    if (front.empty()) return text_of_failures(board);
    if (front.size() == 1)
        return "one configuration is best in both, " + text_of_two(front.front().values) + "," +
               after;
    return std::to_string(front.size()) + " configurations from " +
           text_of_two(front.front().values) + " to " + text_of_two(front.back().values) + after;
}

/// Returns the second value as an outcome; a failure if one of the two is not finite.
[[nodiscard]] inline outcome counted_outcome(two_outcome const& seen)
{
    auto const* const values = std::get_if<two_values>(&seen);
    if (values == nullptr) return std::get<failure>(seen);
    return outcome_of(std::isfinite((*values)[0]) ? (*values)[1] : (*values)[0]);
}

/// A search of minimize_two() and its objective. See evaluated_search.
struct front_search {
    using trial = point;

    chain_of_trees const& space;
    std::function<two_outcome(point const&)> const& objective;
    std::uint64_t patience;
    pareto_search search;
    std::vector<pareto_member> front{};
    std::uint64_t unchanged = 0; ///< outcomes since the front changed
    bool is_over = false;

    [[nodiscard]] std::optional<point> ask()
    {
        std::vector<point> next = search.ask(1);
        is_over = next.empty();
        return is_over ? std::nullopt : std::optional<point>(std::move(next.front()));
    }
    void take(point const& at, run_state& board)
    {
        two_outcome const seen = [&] {
            hosts_float_environment const of_host{hosts_float_environment::flags::kept};
            return objective(at);
        }();
        search.tell(at, seen);
        std::string text = text_of(space.describe(), at);
        if (auto const* const values = std::get_if<two_values>(&seen))
            text += ": " + text_of_two(*values);
        board.add(at, counted_outcome(seen), text, false); // there is no single best
        std::vector<pareto_member> now = search.front();
        unchanged = now == front ? unchanged + 1 : 0;
        front = std::move(now);
    }
    [[nodiscard]] bool meets_a_rule() const { return unchanged >= patience; }
    [[nodiscard]] bool is_exhausted() const { return is_over; }
};

ATTUNE_INLINE found_front minimize_two_of_points(
    chain_of_trees const& space, std::function<two_outcome(point const&)> const& objective,
    search_limits const& limits, minimize_two_options const& options)
{
    own_float_environment const numbers;
    front_search trials{.space = space,
                        .objective = objective,
                        .patience = limits.patience,
                        .search =
                            pareto_search(space, options.seed, options.front, options.search)};
    run_state board = objective_board(options.name, limits,
                                      std::numeric_limits<std::uint32_t>::max(), options.progress);
    tell_rules_without_effect(board, limits, false, "minimize_two");
    loop_end const end = run_minimize_loop(trials, board);
    board.announce(progress_event::finished, wants_tuning(limits)
                                                 ? text_of_front(trials.front, board)
                                                 : "nothing was searched: the budget is zero");
    return {.front = std::move(trials.front),
            .evaluations = board.evaluations(),
            .failures = board.failures(),
            .interrupted = end.interrupted,
            .ended = end.ended};
}

} // namespace attune::inline ATTUNE_ABI::detail
