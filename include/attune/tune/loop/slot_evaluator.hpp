// attune/tune/loop/slot_evaluator.hpp - the seam between a search and the places that evaluate for it.
// SPDX-License-Identifier: MIT
//
// tested by tune/loop/minimize_slots.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
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

} // namespace attune::inline ATTUNE_ABI::detail
