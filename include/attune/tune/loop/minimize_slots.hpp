// attune/tune/loop/minimize_slots.hpp - a search of a plain function in slots, which evaluate for it, and the log of a search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/minimize.hpp>
#include <attune/tune/progress.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct slot_event {
    std::size_t slot = 0;
    /// The outcome of the slot's configuration. Empty: the slot has joined and is free, or, with
    /// wants_stop, it did not evaluate its configuration. If a slot of a tuned kernel joins, it is
    /// the outcome of the default.
    std::optional<evaluation> seen{};
    /// True if `seen` is a failure that the objective did not return: it threw, or its answer
    /// cannot be read. The user gets the place of such a failure.
    bool is_fault = false;
    bool wants_stop = false; ///< Ctrl-C was pressed there
    std::string lost{};      ///< why the slot does not take part; empty if it does
    /// For a tuned kernel: text_of_variant() of the tried variant.
    std::string variant{};
};

/// Evaluates configurations in slots, each one configuration at a time. A slot is the caller's
/// thread, another thread, another rank of a communicator, or a script of a test.
///
/// A search on many machines is one loop, minimize_on_slots(), and one evaluator:
/// - The loop asks, tells, counts, and decides when the search is over. The loop has only the
///   numbers of slots, and no threads: it submits, then waits. Outcomes are recorded in the order
///   of arrival. Each free slot gets the next configuration at once; no slot waits for another (no
///   barrier). The optimizer has all pending configurations. In any order of arrival it proposes
///   none twice.
/// - The evaluator moves configurations to slots and outcomes back, without access to the search.
/// - A slot is outside until the event with which it joins, and then free. A late machine does not
///   delay the others.
/// - now() is the clock that decides which evaluations are overdue. A test that scripts durations
///   has a separate clock, and needs neither threads nor sleep.
/// The function attune::minimize() is this loop with one slot; therefore a communicator of one rank
/// gives the same sequence. Another transport (a shared file system, a batch system) is another
/// evaluator.
class slot_evaluator {
public:
    slot_evaluator() = default;
    slot_evaluator(slot_evaluator const&) = delete;
    slot_evaluator& operator=(slot_evaluator const&) = delete;
    virtual ~slot_evaluator() = default;

    /// Number of slots, including slots that have not joined; constant.
    [[nodiscard]] virtual std::size_t slots() const = 0;
    /// Place of a slot, as text for the user: "rank 3 on node7"; empty: the caller's thread.
    [[nodiscard]] virtual std::string name(std::size_t) const { return {}; }
    /// Gives a free slot a configuration. Returns at once.
    virtual void submit(std::size_t slot, point const& at) = 0;
    /// Does the same for a tuned kernel.
    /// @param stop_above_s  timing may end when the variant is proven slower
    virtual void submit_variant(std::size_t slot, point const& at, double /* stop_above_s */)
    {
        submit(slot, at);
    }
    /// Returns all events since the last call, oldest first, as soon as there is one. Otherwise
    /// returns after about `seconds`, or earlier, with none.
    [[nodiscard]] virtual std::vector<slot_event> wait(double seconds) = 0;
    /// The clock in seconds; only differences have a meaning.
    [[nodiscard]] virtual double now() const { return steady_seconds(); }
};

/// An evaluation by an objective that may throw, for a slot away from the caller.
struct guarded_evaluation {
    evaluation seen;
    bool is_fault = false; ///< the objective threw: `seen` is a failure with the exception's text
};

[[nodiscard]] inline guarded_evaluation
evaluate_guarded(std::function<evaluation(point const&)> const& objective, point const& at)
{
    try {
        return {objective(at), false};
    } catch (...) {
        return {failure{failure_stage::crash, text_of_exception()}, true};
    }
}

/// The search and the objective of a loop.
template <class S>
concept evaluated_search = requires(S s, typename S::trial const& t, run_state& board) {
    { s.ask() } -> std::same_as<std::optional<typename S::trial>>; // empty: the search is over
    { s.take(t, board) }; // evaluates a trial, tells the search, and adds it to the board
    { s.meets_a_rule() } -> std::same_as<bool>; // the best is good enough; asked after each
    { s.is_exhausted() } -> std::same_as<bool>; // no configuration is left
};

struct loop_end {
    /// "budget", "space", "stop rule" or "interrupted", as in a record.
    std::string ended;
    bool interrupted = false;
};

/// @param possible  number of configurations, if less than the limit
[[nodiscard]] run_state objective_board(std::string const& name, search_limits const& limits,
                                        std::uint32_t possible, progress_sink const& sink);

/// Evaluates until a limit of the board, a rule of the search, its end, or Ctrl-C; at least once.
/// Exceptions of the objective pass through.
template <evaluated_search Search>
[[nodiscard]] loop_end run_minimize_loop(Search& search, run_state& board)
{
    interrupt_guard const interrupt{interrupt_guard::afterwards::no_handler};
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

/// Returns `limits` without evaluations and seconds: the rules for good enough values.
[[nodiscard]] search_limits without_cost(search_limits limits) noexcept;

/// A measurement that is infinite or NaN becomes a failure.
void refuse_not_finite(outcome& result);

/// "every configuration failed: 3 crashed; the first reason: SIGSEGV"
[[nodiscard]] std::string text_of_failures(run_state const& board);

/// Fills in the counts of the loop, and sends the result to the sink.
/// @param with  how the best was evaluated, as text for the user: " with budget 81"; may be empty
void conclude(found_minimum& out, run_state const& board, description const& space,
              search_limits const& limits, bool interrupted, std::string const& with = {});

/// Reports to the board's sink which rules of `limits` have no effect in this search.
/// @param gain_only  true: only expected_gain has no effect; false: neither has `target`
/// @param function   name for the sentence, "minimize_two"
void tell_rules_without_effect(run_state const& board, search_limits const& limits, bool gain_only,
                               std::string const& function);

/// Logs the calls of an optimizer: repeating them gives its state again, see search/repeat.hpp. The
/// session in the file has no end, so a search with higher limits also continues.
class search_log {
public:
    /// Without options.event_log it logs nothing.
    search_log(chain_of_trees const& space, minimize_options const& options);

    /// Returns an optimizer that has repeated the calls in the log. If it proposes other
    /// configurations than the log has (another searcher, another version of attune), or if the log
    /// is damaged, a new session begins. The new session observes all outcomes that can be read.
    /// @param make  a new optimizer of the constructor's space and options
    [[nodiscard]] optimizer_core continued(std::function<optimizer_core()> const& make);

    /// Logged outcomes, in order.
    [[nodiscard]] std::vector<std::pair<point, evaluation>> const& past() const noexcept
    {
        return past_;
    }
    /// Logged proposals without an outcome, in order.
    [[nodiscard]] std::vector<point> const& open() const noexcept { return open_; }

    /// Appends the calls since the last write().
    void write(optimizer_core const& search);
    /// Sentences on problems since the last call.
    [[nodiscard]] std::vector<std::string> notices();

private:
    event_log log_;
    std::size_t written_ = 0; ///< number of calls
    std::vector<std::pair<point, evaluation>> past_{};
    std::vector<point> open_{};
    std::vector<std::string> notices_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// The work of one worker in a search with several.
struct worker_use {
    std::string name;              ///< "rank 3 on node7"
    std::uint32_t evaluations = 0; ///< evaluations that count, including those that took too long
    failure_counts failures{};     ///< failures among these
    /// Reason of the first failure that the objective did not return: it threw, returned NaN, or
    /// took too long. Otherwise empty.
    std::string first_fault{};
    bool is_left = false; ///< the search ended without waiting for this worker
};

namespace detail {

struct minimum_on_slots {
    found_minimum found;
    std::vector<worker_use> workers; ///< by slot
};

/// Errors   attune::error: `most_seconds` is 0, negative or NaN
void refuse_most_seconds(double most_seconds);

/// Looks for the configuration with the lowest value. With one slot, the search gets the same calls
/// as in a loop that asks, evaluates and tells.
///
/// With options.event_log known outcomes count, and unfinished evaluations come first.
///
/// Pending evaluations count against limits.evaluations. When a rule or Ctrl-C ends the search, the
/// loop waits for pending evaluations and records them. The search also ends ("no worker", with a
/// notice) when every slot that has joined has been overdue for a further most_seconds.
///
/// @param most_seconds  A longer evaluation, by on.now(), is a failure (timeout), and the loop does
///                      not wait for it. The slot is free again when the outcome arrives; the loop
///                      drops that outcome. An outcome counts if it arrives before the loop gives
///                      up the slot.
/// Errors   attune::error: most_seconds is 0, negative or NaN; a successful evaluation without the
///          value of a bounded quantity; errors of `on`
[[nodiscard]] minimum_on_slots minimize_on_slots(chain_of_trees const& space, slot_evaluator& on,
                                                 search_limits const& limits,
                                                 minimize_options const& options,
                                                 double most_seconds);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/minimize_slots.ipp>
#endif
