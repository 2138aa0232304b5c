// attune/tune/minimize.ipp - a search for the lowest value, as the loop sees it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/tune/loop/minimize_loop.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/minimize.hpp>

#include <limits>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A search of minimize() and its objective. See evaluated_search.
struct lowest_search {
    using trial = point;

    chain_of_trees const& space;
    std::function<evaluation(point const&)> const& objective;
    std::vector<quantity_bound> const& bounds;
    optimizer_core search; ///< has the rules, and judges them when it is asked
    std::vector<quantity> best_quantities{};

    [[nodiscard]] std::optional<point> ask()
    {
        std::vector<point> next = search.ask(1);
        return next.empty() ? std::nullopt : std::optional<point>(std::move(next.front()));
    }
    void take(point const& at, run_state& board)
    {
        evaluation seen = objective(at);
        refuse_not_finite(seen.result);
        search.tell(at, seen);
        board.add(at,
                  within_bounds(bounds, bounded_numbers(bounds, seen), seen.result),
                  text_of(space.describe(), at));
        if (search.best() && search.best()->first == at)
            best_quantities = std::move(seen.quantities);
    }
    [[nodiscard]] bool meets_a_rule() const
    {
        return search.stopped() && search.stopped()->reason != stop_reason::exhausted;
    }
    [[nodiscard]] bool is_exhausted() const
    {
        return search.stopped() && search.stopped()->reason == stop_reason::exhausted;
    }
};

ATTUNE_INLINE found_minimum
minimize_points(chain_of_trees const& space,
                std::function<evaluation(point const&)> const& objective,
                search_limits const& limits,
                minimize_options const& options)
{
    std::uint32_t possible = std::numeric_limits<std::uint32_t>::max();
    if (auto const size = space.size(); size && *size < possible && !space.has_real_parameters())
        possible = static_cast<std::uint32_t>(*size);
    lowest_search trials{
        .space = space,
        .objective = objective,
        .bounds = options.bounds,
        // The first evaluation does not ask what it costs.
        .search = {
            space, options.search, options.seed, false, without_cost(limits), options.bounds}};
    run_state board = objective_board(options.name, limits, possible, options.progress);
    loop_end const end = run_minimize_loop(trials, board);
    found_minimum out;
    out.ended = board.evaluations() >= possible && !end.interrupted ? "space" : end.ended;
    if (trials.search.best()) {
        out.best = trials.search.best()->first;
        out.value = trials.search.best()->second;
    }
    out.quantities = std::move(trials.best_quantities);
    out.shortfall = trials.search.shortfall();
    conclude(out, board, space.describe(), limits, end.interrupted);
    return out;
}

ATTUNE_INLINE void conclude(found_minimum& out,
                            run_state const& board,
                            description const& space,
                            search_limits const& limits,
                            bool interrupted,
                            std::string const& with)
{
    out.evaluations = board.evaluations();
    out.failures = board.failures();
    out.interrupted = interrupted;
    board.announce(progress_event::finished,
                   !wants_tuning(limits) ? "nothing was searched: the budget is zero"
                   : out.best            ? "best " + text_of_quantity(out.value, false) + " at " +
                                    text_of(space, *out.best) + with + " after " +
                                    std::to_string(out.evaluations) + " evaluations"
                   : !out.shortfall.empty() ? out.shortfall + ", after " +
                                                  std::to_string(out.evaluations) + " evaluations"
                                            : text_of_failures(board));
}

} // namespace attune::inline ATTUNE_ABI::detail
