// attune/tune/minimize.ipp - the loop over configurations.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/minimize.hpp>

#include <limits>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE found_minimum
minimize_points(chain_of_trees const& space,
                std::function<evaluation(point const&)> const& objective,
                search_limits const& limits,
                minimize_options const& options)
{
    search_limits good_enough = limits; // the first evaluation does not ask what it costs
    good_enough.evaluations = search_limits::any_number;
    good_enough.seconds = search_limits::any_time;
    optimizer_core search{space, options.search, options.seed, false, good_enough, options.bounds};
    std::uint32_t possible = std::numeric_limits<std::uint32_t>::max();
    if (auto const size = space.size(); size && *size < possible && !space.has_real_parameters())
        possible = static_cast<std::uint32_t>(*size);
    run_state board{options.name, limits, possible, options.progress};
    board.set_unit_is_seconds(false);
    interrupt_guard const interrupt{interrupt_guard::afterwards::caller_knows};
    found_minimum out;
    out.ended = "budget";
    while ((board.evaluations() == 0 || board.budget_left()) && !interrupt.requested()) {
        std::vector<point> const next = search.ask(1);
        if (next.empty()) {
            bool const by_rule =
                search.stopped() && search.stopped()->reason != stop_reason::exhausted;
            out.ended = by_rule ? "stop rule" : "space";
            break;
        }
        point const& at = next.front();
        evaluation seen = objective(at);
        if (auto const* const m = std::get_if<measurement>(&seen.result); m && m->value != m->value)
            seen.result = outcome_of(m->value);
        search.tell(at, seen);
        board.add(at,
                  within_bounds(options.bounds, bounded_numbers(options.bounds, seen), seen.result),
                  text_of(space.describe(), at));
        if (search.best() && search.best()->first == at)
            out.quantities = std::move(seen.quantities);
    }
    if (search.best()) {
        out.best = search.best()->first;
        out.value = search.best()->second;
    }
    out.shortfall = search.shortfall();
    if (board.evaluations() >= possible) out.ended = "space";
    conclude(out, board, space.describe(), limits, interrupt.requested());
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
    if (interrupted) out.ended = "interrupted";
    board.announce(
        progress_event::finished,
        !wants_tuning(limits) ? "nothing was searched: the budget is zero"
        : out.best
            ? "best " + text_of_quantity(out.value, false) + " at " + text_of(space, *out.best) +
                  with + " after " + std::to_string(out.evaluations) + " evaluations"
        : !out.shortfall.empty()
            ? out.shortfall + ", after " + std::to_string(out.evaluations) + " evaluations"
            : "every configuration failed: " + describe(out.failures) +
                  (board.first_failures().empty()
                       ? ""
                       : "; the first said: " + board.first_failures().front().reason));
}

} // namespace attune::inline ATTUNE_ABI::detail
