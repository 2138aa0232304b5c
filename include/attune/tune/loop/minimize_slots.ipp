// attune/tune/loop/minimize_slots.ipp - gives configurations to free slots, and records and logs their outcomes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/repeat.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/loop/minimize_slots.hpp>

#include <algorithm>
#include <cmath>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE run_state objective_board(std::string const& name, search_limits const& limits,
                                        std::uint32_t possible, progress_sink const& sink)
{
    run_state out{name, limits, possible, sink};
    out.set_objective({.is_seconds = false});
    return out;
}

ATTUNE_INLINE search_limits without_cost(search_limits limits) noexcept
{
    limits.evaluations = search_limits::any_number;
    limits.seconds = search_limits::any_time;
    return limits;
}

ATTUNE_INLINE void refuse_not_finite(outcome& result)
{
    auto const* const m = std::get_if<measurement>(&result);
    if (m == nullptr) return;
    outcome checked = outcome_of(m->value);
    if (!succeeded(checked)) result = std::move(checked);
}

ATTUNE_INLINE std::string text_of_failures(run_state const& board)
{
    if (total(board.failures()) == 0) return "no configuration was evaluated";
    std::string out = "every configuration failed: " + describe(board.failures());
    if (!board.first_failures().empty())
        out += "; the first reason: " + board.first_failures().front().reason;
    return out;
}

ATTUNE_INLINE void conclude(found_minimum& out, run_state const& board, description const& space,
                            search_limits const& limits, bool interrupted, std::string const& with)
{
    out.evaluations = board.evaluations();
    out.failures = board.failures();
    out.interrupted = interrupted;
    board.announce(progress_event::finished,
                   !wants_tuning(limits) ? "nothing was searched: the budget is zero"
                   : out.best            ? "best " + text_of_quantity(out.value, false) + " at " +
                                    text_of(space, *out.best) + with + " after " +
                                    count_text(out.evaluations, "evaluation")
                   : !out.shortfall.empty()
                       ? out.shortfall + ", after " + count_text(out.evaluations, "evaluation")
                       : text_of_failures(board));
}

ATTUNE_INLINE void tell_rules_without_effect(run_state const& board, search_limits const& limits,
                                             bool gain_only, std::string const& function)
{
    search_limits const unset;
    std::string names;
    auto const name = [&](bool is_set, char const* what) {
        if (is_set) names += (names.empty() ? "" : ", ") + std::string(what);
    };
    name(!gain_only && limits.target != unset.target, "target");
    name(!gain_only && limits.improvement != unset.improvement, "improvement");
    name(limits.expected_gain != unset.expected_gain, "expected_gain");
    if (!names.empty())
        board.announce(progress_event::notice,
                       "search_limits without an effect in " + function + ": " + names);
}

/// Outcomes of searches with equal keys are comparable.
[[nodiscard]] inline std::string key_of_search(description const& space,
                                               minimize_options const& options)
{
    content_hash out;
    out.add(options.name).add(space_identity(space)).add(bounds_key(options.bounds));
    for (auto const& [name, value] : texts_of_inputs(space))
        out.add(name).add(value);
    return out.hex();
}

ATTUNE_INLINE search_log::search_log(chain_of_trees const& space, minimize_options const& options)
    : log_(options.event_log.empty()
               ? event_log{}
               : event_log{options.event_log, key_of_search(space.describe(), options),
                           options.seed})
{
}

ATTUNE_INLINE optimizer_core search_log::continued(std::function<optimizer_core()> const& make)
{
    optimizer_core out = make();
    std::vector<event> known = log_.salvaged();
    try {
        out.resume({out.save().key, out.save().seed, log_.past()});
    } catch (error const& thrown) {
        notices_.push_back("the search in the event log cannot be repeated, and another one begins "
                           "with its outcomes: " +
                           thrown.what_alone());
        out = make();
        known = log_.past();
    }
    for (event const& e : known) {
        if (e.points.size() != 1 || !e.result) continue; // a proposal
        try {
            out.observe(e.points.front(), {*e.result, e.quantities});
        } catch (error const&) { // the line is damaged
        }
    }
    if (!known.empty()) log_.begin_anew(out.save().events);
    written_ = out.save().events.size();
    for (event const& e : out.save().events) {
        if (e.kind == event_kind::asked) {
            open_.insert(open_.end(), e.points.begin(), e.points.end());
            continue;
        }
        std::erase(open_, e.points.front());
        past_.emplace_back(e.points.front(), evaluation{*e.result, e.quantities});
    }
    return out;
}

ATTUNE_INLINE void search_log::write(optimizer_core const& search)
{
    std::vector<event> const& calls = search.save().events;
    for (; written_ < calls.size(); ++written_)
        log_.add(calls[written_]);
}

ATTUNE_INLINE std::vector<std::string> search_log::notices()
{
    std::vector<std::string> out = std::exchange(notices_, {});
    for (std::string& said : log_.notices())
        out.push_back(std::move(said));
    return out;
}

class slots_loop {
public:
    /// @param search  has the rules, and checks them in ask()
    /// @param log     has all earlier calls of the search
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
        point at{};          ///< its configuration
        double since_s = 0;  ///< the time at which it got the configuration
        bool is_due = false; ///< it was overdue at the previous check
    };

    /// Longest delay until Ctrl-C or a limit of seconds has an effect.
    static constexpr double longest_wait_s = 0.05;

    [[nodiscard]] double wait_s() const
    {
        double out = longest_wait_s;
        double const now = on_->now();
        for (slot const& one : slots_)
            if (one.is == stage::busy) out = std::min(out, one.since_s + most_s_ - now);
        return std::max(out, 0.0);
    }

    /// @return  why the search is over; empty while it continues
    [[nodiscard]] std::string ask()
    {
        bool const has_budget = board_->budget_left();
        if (!is_first_ && !has_budget) return "budget";
        auto const is_idle = [](slot const& one) { return one.is == stage::idle; };
        std::uint64_t room = 1; // the first evaluation of a call ignores the budget
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
            has_news_ =
                asked.size() == more; // otherwise the search may propose more after more outcomes
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

    /// Counts the outcomes in the log; the sink gets them like new ones.
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
        // Seconds that repeating the calls took must not end a call before its first evaluation.
        is_first_ = board_->judge().evaluations_left() > 0;
        if (is_first_ && board_->left_s() <= 0)
            board_->announce(progress_event::notice,
                             "repeating the event log took " +
                                 formatted("%.4g", board_->elapsed_s()) +
                                 " s, all of limits.seconds: one evaluation follows");
    }
    /// Configurations without an outcome in the log, which are evaluated first.
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
        else if (from.is == stage::busy)
            --busy_; // returned because of Ctrl-C, after which the loop asks for no more
        from.is = stage::idle;
    }

    /// Returns true if all slots that have joined are overdue for a further most_s_.
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

    /// Gives up slots that were overdue at two checks. One check is not enough, because an outcome
    /// may have arrived during a call of a sink or of the search.
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

    void tell(std::size_t of, evaluation seen, bool is_fault)
    {
        point const& at = slots_[of].at;
        worker_use& use = uses_[of];
        auto const* const m = std::get_if<measurement>(&seen.result);
        bool const is_nonsense = m != nullptr && std::isnan(m->value); // infinity may be intended
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
    /// Counts the outcome of a point.  @return  the outcome, a failure if a bound is broken
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
    bool is_first_ = true; ///< this call may still make its first evaluation
    /// True if an event came after the search last proposed fewer points than the loop asked for.
    bool has_news_ = true;
    bool wants_stop_ = false;
    std::vector<worker_use> uses_; ///< by slot
    std::vector<quantity> best_quantities_{};
    std::vector<point> open_; ///< logged as asked, and not yet given to a slot
};

ATTUNE_INLINE void refuse_most_seconds(double most_seconds)
{
    if (most_seconds > 0) return;
    throw error("the limit of an evaluation is not above 0 seconds",
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
    std::uint32_t const possible = possible_evaluations(space);
    run_state board = objective_board(options.name, limits, possible, options.progress);
    // The loop counts the budget, because the first evaluation ignores it.
    auto const make = [&] {
        return optimizer_core(space, options.search, options.seed, false, without_cost(limits),
                              options.bounds);
    };
    interrupt_guard const interrupt{interrupt_guard::afterwards::no_handler};
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
