// attune/tune/loop/slot_evaluator.hpp - the seam between a search and the places that evaluate for it.
// SPDX-License-Identifier: MIT
//
// tested by tune/loop/minimize_slots.cpp
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One event of a slot.
struct slot_event {
    std::size_t slot = 0;
    /// The outcome of the configuration that the slot was given; nothing: the slot has joined and
    /// is free, or, with wants_stop, it did not evaluate what it was given. Where a slot of a tuned
    /// kernel joins, it is that of the default.
    std::optional<evaluation> seen{};
    /// `seen` is a failure that the objective did not return: it threw, or its answer cannot be
    /// read. People are told where that happened.
    bool is_fault = false;
    bool wants_stop = false; ///< Ctrl-C was pressed there
    std::string lost{};      ///< why it takes no part; empty: it does
    /// Of a tuned kernel: text_of_variant() of what was tried.
    std::string variant{};
};

/// Evaluates configurations in slots, each one configuration at a time: the caller itself, a
/// thread, the other ranks of a communicator, or a script of a test.
///
/// The design. A search on many machines is one loop, minimize_on_slots(), and one evaluator:
/// - The loop asks, tells, counts, and decides what is over. It knows slots by number alone, has no
///   threads, and is called by nobody: it submits, then waits. Whatever arrives is told in the
///   order of arrival, and each free slot is given the next configuration at once; no slot waits
///   for another (no barrier). The optimizer knows what is pending, so that it proposes no
///   configuration twice, whatever the order of arrival.
/// - The evaluator moves configurations to slots and outcomes back. It does not know the search.
/// - A slot begins outside, and is free from the event with which it joins; a machine that is late
///   does not hold the others.
/// - now() is the clock by which evaluations are overdue. A test that scripts durations has its
///   own, and needs neither threads nor sleep.
/// attune::minimize() is this loop with one slot, which is why a communicator of one rank gives its
/// very sequence. Another transport (a shared file system, a batch system) is another evaluator.
class slot_evaluator {
public:
    slot_evaluator() = default;
    slot_evaluator(slot_evaluator const&) = delete;
    slot_evaluator& operator=(slot_evaluator const&) = delete;
    virtual ~slot_evaluator() = default;

    /// The number of slots, those included that have not joined; it never changes.
    [[nodiscard]] virtual std::size_t slots() const = 0;
    /// Where a slot is, for people: "rank 3 on node7"; empty: with the caller.
    [[nodiscard]] virtual std::string name(std::size_t) const { return {}; }
    /// Gives a free slot a configuration. Returns at once.
    virtual void submit(std::size_t slot, point const& at) = 0;
    /// The same of a tuned kernel. @param stop_above_s  timing may end where it is proven slower
    virtual void submit_variant(std::size_t slot, point const& at, double /* stop_above_s */)
    {
        submit(slot, at);
    }
    /// Returns when something happened, with all that did, oldest first; else after about `seconds`
    /// with nothing. It may return earlier, also with nothing.
    [[nodiscard]] virtual std::vector<slot_event> wait(double seconds) = 0;
    /// Seconds; only differences have a meaning.
    [[nodiscard]] virtual double now() const { return steady_seconds(); }
};

/// An evaluation by an objective that may throw, for a slot away from the caller.
struct guarded_evaluation {
    evaluation seen;
    bool is_fault = false; ///< the objective threw: `seen` is a failure with the exception's text
};

[[nodiscard]] guarded_evaluation
evaluate_guarded(std::function<evaluation(point const&)> const& objective, point const& at);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/slot_evaluator.ipp>
#endif
