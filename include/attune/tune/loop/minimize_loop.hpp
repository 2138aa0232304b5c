// attune/tune/loop/minimize_loop.hpp - the loop of minimize(), minimize_with_budget() and minimize_two().
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/progress.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// A search and an objective, as a loop sees them.
template <class S>
concept evaluated_search = requires(S s, typename S::trial const& t, run_state& board) {
    { s.ask() } -> std::same_as<std::optional<typename S::trial>>; // nothing: the search is over
    { s.take(t, board) }; // evaluates a trial, tells the search, and adds it to the board
    { s.meets_a_rule() } -> std::same_as<bool>; // what was found is good enough; asked after each
    { s.is_exhausted() } -> std::same_as<bool>; // no configuration is left
};

/// What ended a loop.
struct loop_end {
    /// "budget", "space", "stop rule" or "interrupted", as a record has it.
    std::string ended;
    bool interrupted = false;
};

/// The counts of a loop over a plain objective.
/// @param possible  number of configurations, if less than the limit
[[nodiscard]] run_state objective_board(std::string const& name, search_limits const& limits,
                                        std::uint32_t possible, progress_sink const& sink);

/// Evaluates until a limit of the board, a rule of the search, its end, or Ctrl-C; at least once.
/// What the objective throws passes through.
template <evaluated_search Search>
[[nodiscard]] loop_end run_minimize_loop(Search& search, run_state& board)
{
    interrupt_guard const interrupt{interrupt_guard::afterwards::caller_knows};
    std::string ended = "budget";
    while ((board.evaluations() == 0 || board.budget_left()) && !interrupt.requested()) {
        std::optional<typename Search::trial> const next = search.ask();
        if (next) search.take(*next, board);
        if (search.meets_a_rule()) {
            ended = "stop rule";
            break;
        }
        if (!next) break;
    }
    if (search.is_exhausted() && ended == "budget") ended = "space";
    if (interrupt.requested()) return {"interrupted", true};
    return {std::move(ended), false};
}

/// `limits` without what a search may cost: what is good enough.
[[nodiscard]] search_limits without_cost(search_limits limits) noexcept;

/// A measurement that is infinite or NaN becomes a failure.
void refuse_not_finite(outcome& result);

/// "every configuration failed: 3 crashed; the first said: SIGSEGV"
[[nodiscard]] std::string text_of_failures(run_state const& board);

/// Tells the sink of the board which rules of `limits` this search does not have.
/// @param gain_only  false: neither `target`; true: it has all but expected_gain
/// @param function   "minimize_two", in the sentence
void tell_rules_without_effect(run_state const& board, search_limits const& limits, bool gain_only,
                               std::string const& function);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/minimize_loop.ipp>
#endif
