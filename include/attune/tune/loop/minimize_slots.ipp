// attune/tune/loop/minimize_slots.ipp - asks for free slots, tells what arrives.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/search/stop.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/minimize_loop.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/search_log.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

class slots_loop {
public:
    /// @param search  has the rules, and judges them when it is asked
    /// @param log     has the calls of the search until now
    slots_loop(slot_evaluator& on, optimizer_core& search, search_log& log, run_state& board,
               std::vector<quantity_bound> const& bounds, double most_seconds)
        : on_(&on)
        , search_(&search)
        , log_(&log)
        , board_(&board)
        , bounds_(&bounds)
        , most_s_(most_seconds)
        , slots_(on.slots())
        , uses_(on.slots())
        , open_(log.open())
    {
    }

    [[nodiscard]] loop_end run(interrupt_guard const& interrupt)
    {
        take_past();
        std::string ended; // empty while more may be asked
        for (;;) {
            if (ended.empty() && (interrupt.requested() || wants_stop_)) ended = "interrupted";
            if (ended.empty()) ended = ask();
            if (ended.empty() && has_no_worker()) {
                ended = "no worker";
                board_->announce(progress_event::notice,
                                 "the search ends: every worker has been overdue for a further " +
                                     formatted("%.4g", most_s_) + " s");
            }
            if (!ended.empty() && busy_ == 0) break;
            for (slot_event& happened : on_->wait(wait_s()))
                take(happened);
            give_up_overdue();
        }
        if (interrupt.requested() || wants_stop_) return {"interrupted", true};
        return {std::move(ended), false};
    }
    [[nodiscard]] std::vector<worker_use> const& uses() const noexcept { return uses_; }
    [[nodiscard]] std::vector<quantity> const& best_quantities() const noexcept
    {
        return best_quantities_;
    }

private:
    enum class stage : std::uint8_t { outside, idle, busy, overdue };
    struct slot {
        stage is = stage::outside;
        point at{};          ///< what it was given
        double since_s = 0;  ///< when
        bool is_due = false; ///< it was beyond the limit when the events before were taken
    };

    /// Ctrl-C is noticed, and a limit of seconds, within this time.
    static constexpr double longest_wait_s = 0.05;

    [[nodiscard]] double wait_s() const
    {
        double out = longest_wait_s;
        double const now = on_->now();
        for (slot const& one : slots_)
            if (one.is == stage::busy) out = std::min(out, one.since_s + most_s_ - now);
        return std::max(out, 0.0);
    }

    /// Gives idle slots what the search proposes.
    /// @return  why the search is over; empty while it is not
    [[nodiscard]] std::string ask()
    {
        bool const has_budget = board_->budget_left();
        if (!is_first_ && !has_budget) return "budget";
        auto const is_idle = [](slot const& one) { return one.is == stage::idle; };
        std::uint64_t room = 1; // the first evaluation of a call does not ask what it costs
        if (has_budget) {
            std::uint64_t const left = board_->judge().evaluations_left();
            room = left - std::min(left, busy_);
        }
        auto const idle = static_cast<std::uint64_t>(std::ranges::count_if(slots_, is_idle));
        std::uint64_t const count = std::min(idle, room);
        std::vector<point> next = take_open(count);
        if (std::uint64_t const more = count - next.size(); more > 0 && has_news_) {
            std::vector<point> const asked = search_->ask(more);
            keep_log();
            has_news_ = asked.size() == more; // else it may have more when it is told more
            next.insert(next.end(), asked.begin(), asked.end());
        } else if (next.empty()) {
            return {};
        }
        for (point& at : next) {
            auto const free = std::ranges::find_if(slots_, is_idle);
            on_->submit(static_cast<std::size_t>(free - slots_.begin()), at);
            *free = {.is = stage::busy, .at = std::move(at), .since_s = on_->now()};
            ++busy_;
            is_first_ = false;
        }
        auto const& stopped = search_->stopped();
        if (stopped && stopped->reason == stop_reason::exhausted) return "space";
        if (stopped) return "stop rule";
        return next.empty() && busy_ == 0 ? "budget" : "";
    }

    /// What the log has of before counts. The sink is told of it, as of what is evaluated now.
    void take_past()
    {
        keep_log();
        if (!log_->past().empty())
            board_->announce(progress_event::notice,
                             "continued an earlier search: " + std::to_string(log_->past().size()) +
                                 " evaluations were known");
        for (auto const& [at, seen] : log_->past())
            add(at, seen);
        if (board_->evaluations() == 0) return;
        // Seconds that repeating the calls took do not end a call before its first evaluation.
        is_first_ = board_->judge().evaluations_left() > 0;
        if (is_first_ && board_->left_s() <= 0)
            board_->announce(progress_event::notice,
                             "repeating the event log took " +
                                 formatted("%.4g", board_->elapsed_s()) +
                                 " s, all of limits.seconds: one evaluation follows");
    }
    /// What was asked before, and not told, is evaluated first.
    [[nodiscard]] std::vector<point> take_open(std::uint64_t most)
    {
        auto const end = open_.begin() +
                         static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(most, open_.size()));
        std::vector<point> out(open_.begin(), end);
        open_.erase(open_.begin(), end);
        return out;
    }
    void keep_log()
    {
        log_->write(*search_);
        for (std::string const& said : log_->notices())
            board_->announce(progress_event::notice, said);
    }

    void take(slot_event& happened)
    {
        slot& from = slots_[happened.slot];
        if (uses_[happened.slot].name.empty()) uses_[happened.slot].name = on_->name(happened.slot);
        wants_stop_ = wants_stop_ || happened.wants_stop;
        has_news_ = true;
        if (from.is == stage::busy && happened.seen)
            tell(happened.slot, *std::move(happened.seen), happened.is_fault);
        else if (from.is == stage::busy) // it was given back; because of Ctrl-C, no more is asked
            --busy_;
        from.is = stage::idle;
    }

    /// Whether all slots that have joined are overdue, for as long again as an evaluation may take.
    [[nodiscard]] bool has_no_worker() const
    {
        double const now = on_->now();
        auto const is_outside = [](slot const& one) { return one.is == stage::outside; };
        return !std::ranges::all_of(slots_, is_outside) &&
               std::ranges::all_of(slots_, [&](slot const& one) {
                   return one.is == stage::outside ||
                          (one.is == stage::overdue && now - one.since_s >= 2 * most_s_);
               });
    }

    /// A slot that is due is given up when the events after that were taken, too: its outcome may
    /// have come while a sink or the search was at work.
    void give_up_overdue()
    {
        double const now = on_->now();
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (slots_[i].is != stage::busy || now - slots_[i].since_s < most_s_) continue;
            if (!std::exchange(slots_[i].is_due, true)) continue;
            tell(i,
                 failure{failure_stage::timeout,
                         "no outcome within " + formatted("%.4g", most_s_) + " s"},
                 true);
            slots_[i].is = stage::overdue;
            has_news_ = true;
        }
    }

    /// Tells the outcome of what a busy slot was given.
    void tell(std::size_t of, evaluation seen, bool is_fault)
    {
        point const& at = slots_[of].at;
        worker_use& use = uses_[of];
        auto const* const m = std::get_if<measurement>(&seen.result);
        bool const is_nonsense = m != nullptr && std::isnan(m->value); // infinite may be meant so
        refuse_not_finite(seen.result);
        auto* const why = std::get_if<failure>(&seen.result);
        if (why != nullptr && (is_fault || is_nonsense) && !use.name.empty()) {
            why->reason = use.name + ": " + why->reason;
            if (use.first_fault.empty()) {
                use.first_fault = why->reason;
                board_->announce(progress_event::notice,
                                 why->reason + ", at " + text_of(search_->space().describe(), at));
            }
        }
        --busy_;
        search_->tell(at, seen);
        keep_log();
        outcome const checked = add(at, seen);
        ++use.evaluations;
        if (auto const* const failed = std::get_if<failure>(&checked))
            ++use.failures[static_cast<std::size_t>(failed->stage)];
    }
    /// Counts what the search was told.  @return  the outcome, a failure where a bound is broken
    outcome add(point const& at, evaluation const& seen)
    {
        outcome checked = within_bounds(*bounds_, bounded_numbers(*bounds_, seen), seen.result);
        board_->add(at, checked, text_of(search_->space().describe(), at));
        if (search_->best() && search_->best()->first == at) best_quantities_ = seen.quantities;
        return checked;
    }

    slot_evaluator* on_;
    optimizer_core* search_;
    search_log* log_;
    run_state* board_;
    std::vector<quantity_bound> const* bounds_;
    double most_s_;
    std::vector<slot> slots_;
    std::uint64_t busy_ = 0;
    bool is_first_ = true; ///< nothing was evaluated yet in this call, and something may be
    bool has_news_ = true; ///< something happened since the search had less than it was asked for
    bool wants_stop_ = false;
    std::vector<worker_use> uses_; ///< by slot
    std::vector<quantity> best_quantities_{};
    std::vector<point> open_; ///< asked before this loop, and not given to a slot yet
};

ATTUNE_INLINE void refuse_most_seconds(double most_seconds)
{
    if (most_seconds > 0) return;
    throw error("an evaluation may take no time",
                "most_seconds = " + formatted("%.4g", most_seconds),
                "give more than 0 seconds, or infinity for no limit");
}

ATTUNE_INLINE minimum_on_slots minimize_on_slots(chain_of_trees const& space, slot_evaluator& on,
                                                 search_limits const& limits,
                                                 minimize_options const& options,
                                                 double most_seconds)
{
    own_float_environment const numbers;
    refuse_most_seconds(most_seconds);
    std::uint32_t possible = std::numeric_limits<std::uint32_t>::max();
    if (auto const size = space.size(); size && *size < possible && !space.has_real_parameters())
        possible = static_cast<std::uint32_t>(*size);
    run_state board = objective_board(options.name, limits, possible, options.progress);
    // The cost is counted here: the first evaluation does not ask what it costs.
    auto const make = [&] {
        return optimizer_core(space, options.search, options.seed, false, without_cost(limits),
                              options.bounds);
    };
    interrupt_guard const interrupt{interrupt_guard::afterwards::caller_knows};
    search_log log(space, options);
    optimizer_core search = log.continued(make);
    slots_loop loop(on, search, log, board, options.bounds, most_seconds);
    loop_end const end = loop.run(interrupt);
    found_minimum out;
    out.ended = board.evaluations() >= possible && !end.interrupted ? "space" : end.ended;
    if (search.best()) {
        out.best = search.best()->first;
        out.value = search.best()->second;
    }
    out.quantities = loop.best_quantities();
    out.shortfall = search.shortfall();
    conclude(out, board, space.describe(), limits, end.interrupted);
    std::vector<worker_use> workers = loop.uses();
    for (std::size_t i = 0; i < workers.size(); ++i)
        if (workers[i].name.empty()) workers[i].name = on.name(i); // it never joined
    return {std::move(out), std::move(workers)};
}

} // namespace attune::inline ATTUNE_ABI::detail
