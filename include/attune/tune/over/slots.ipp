// attune/tune/over/slots.ipp - runs a thread, submits configurations, takes outcomes, and tracks the state of slots.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>
#include <attune/tune/over/slots.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

struct own_slot::state {
    explicit state(std::function<evaluation(point const&)> evaluated)
        : objective(std::move(evaluated))
        , worker([this] { work(); })
    {
    }
    ~state()
    {
        {
            std::scoped_lock const one(lock);
            is_over = true;
        }
        changed.notify_one();
        worker.join();
    }
    state(state const&) = delete;
    state& operator=(state const&) = delete;

    void work()
    {
        hosts.set();
        std::unique_lock held(lock);
        for (;;) {
            changed.wait(held, [this] { return is_over || given; });
            if (is_over) return;
            point const at = *std::exchange(given, {});
            held.unlock();
            guarded_evaluation out = evaluate_guarded(objective, at);
            held.lock();
            seen = std::move(out);
            answered.notify_one();
        }
    }

    std::function<evaluation(point const&)> objective;
    float_environment const hosts = own_float_environment::hosts(); ///< for the objective
    std::mutex lock;
    std::condition_variable changed;
    std::condition_variable answered;
    std::optional<point> given{};
    std::optional<guarded_evaluation> seen{};
    bool is_over = false;
    std::thread worker; // last: it uses the members above
};

ATTUNE_INLINE own_slot::own_slot(std::function<evaluation(point const&)> objective)
    : state_(std::make_unique<state>(std::move(objective)))
{
}
ATTUNE_INLINE own_slot::~own_slot() = default;

ATTUNE_INLINE void own_slot::submit(point const& at)
{
    {
        std::scoped_lock const one(state_->lock);
        state_->given = at;
    }
    state_->changed.notify_one();
}

ATTUNE_INLINE std::optional<guarded_evaluation> own_slot::take(double wait_s)
{
    std::unique_lock one(state_->lock);
    if (wait_s > 0)
        state_->answered.wait_for(one, std::chrono::duration<double>(wait_s),
                                  [this] { return state_->seen.has_value(); });
    return std::exchange(state_->seen, {});
}

ATTUNE_INLINE slot_trials::slot_trials(slot_evaluator& on)
    : on_(&on)
    , slots_(on.slots())
    , made_s_(on.now())
{
}

ATTUNE_INLINE void slot_trials::begin(measurement const& default_time)
{
    default_s_ = default_time.value;
    begun_s_ = on_->now();
    longest_s_ = begun_s_ - made_s_;
}

/// @pre  the slot is outside or busy
ATTUNE_INLINE bool slot_trials::is_overdue(slot const& one) const
{
    double const since_s = one.is == stage::outside ? begun_s_ : one.since_s;
    return on_->now() - since_s > std::max(overdue_s, overdue_times * longest_s_);
}

ATTUNE_INLINE bool slot_trials::has_place() const
{
    return std::ranges::any_of(slots_, [this](slot const& one) {
        return one.is == stage::idle || (one.is != stage::lost && !is_overdue(one));
    });
}

ATTUNE_INLINE std::size_t slot_trials::idle() const
{
    return static_cast<std::size_t>(
        std::ranges::count_if(slots_, [](slot const& one) { return one.is == stage::idle; }));
}

ATTUNE_INLINE std::size_t slot_trials::pending() const
{
    return static_cast<std::size_t>(std::ranges::count_if(
        slots_, [this](slot const& one) { return one.is == stage::busy && !is_overdue(one); }));
}

ATTUNE_INLINE void slot_trials::submit(point const& at, double stop_above_s)
{
    auto const free =
        std::ranges::find_if(slots_, [](slot const& one) { return one.is == stage::idle; });
    on_->submit_variant(static_cast<std::size_t>(free - slots_.begin()), at, stop_above_s);
    free->is = stage::busy;
    free->at = at;
    free->since_s = on_->now();
}

ATTUNE_INLINE std::vector<tried_variant> slot_trials::wait(double seconds)
{
    std::vector<tried_variant> out;
    for (slot_event& happened : on_->wait(seconds))
        if (std::optional<tried_variant> one = take(happened)) out.push_back(*std::move(one));
    return out;
}

ATTUNE_INLINE void slot_trials::join(slot& one, slot_event const& happened)
{
    std::string why = happened.lost;
    measurement const* const m =
        happened.seen ? std::get_if<measurement>(&happened.seen->result) : nullptr;
    if (why.empty() && m != nullptr && unlikeness(m->value) > comparable)
        why = "the default takes " + text_of_quantity(m->value, true) + " there and " +
              text_of_quantity(default_s_, true) +
              " here: tune with arrays of one size, on machines of one speed";
    one.is = why.empty() ? stage::idle : stage::lost;
    if (!why.empty()) {
        one.use.first_fault = one.use.name + " takes no part: " + why;
        notices_.push_back(one.use.first_fault);
        return;
    }
    if (m != nullptr) one.default_s = m->value;
}

/// @return  at least 1; 1 if a time is unknown
ATTUNE_INLINE double slot_trials::unlikeness(double default_s) const
{
    if (!(default_s > 0) || !(default_s_ > 0)) return 1;
    return std::max(default_s / default_s_, default_s_ / default_s);
}

/// @return  empty: the slot has joined; is_cut: it did not try its configuration
ATTUNE_INLINE std::optional<tried_variant> slot_trials::take(slot_event& happened)
{
    slot& from = slots_[happened.slot];
    if (from.use.name.empty()) from.use.name = on_->name(happened.slot);
    wants_stop_ = wants_stop_ || happened.wants_stop;
    if (from.is != stage::busy) {
        join(from, happened);
        return {};
    }
    from.is = stage::idle;
    longest_s_ = std::max(longest_s_, on_->now() - from.since_s);
    tried_variant out{.at = std::move(from.at)};
    out.made.is_cut = !happened.seen;
    if (!happened.seen) return out;
    out.made.result = std::move(happened.seen->result);
    if (!happened.variant.empty()) {
        try {
            read_variant(happened.variant, out);
        } catch (std::exception const&) { // its outcome counts nevertheless
        }
    }
    ++from.use.evaluations;
    auto* const why = std::get_if<failure>(&out.made.result);
    if (why == nullptr) return out;
    ++from.use.failures[static_cast<std::size_t>(why->stage)];
    if (!happened.is_fault) return out;
    why->reason = from.use.name + ": " + why->reason;
    if (from.use.first_fault.empty()) notices_.push_back(from.use.first_fault = why->reason);
    return out;
}

ATTUNE_INLINE std::string slot_trials::table_of_defaults() const
{
    auto const is_unlike = [this](slot const& one) { return unlikeness(one.default_s) > alike; };
    if (std::ranges::none_of(slots_, is_unlike)) return {};
    std::string out =
        "the default does not take as long everywhere, and times are compared without "
        "a correction: " +
        text_of_quantity(default_s_, true) + " here";
    constexpr int most_named = 16;
    int named = 0;
    for (slot const& one : slots_) {
        if (!is_unlike(one)) continue;
        if (++named > most_named) return out + ", ...";
        out += ", " + text_of_quantity(one.default_s, true) + " at " + one.use.name +
               formatted(" (%.2f times)", one.default_s / default_s_);
    }
    return out;
}

ATTUNE_INLINE std::vector<std::string> slot_trials::notices() const
{
    std::vector<std::string> out = notices_;
    if (std::string table = table_of_defaults(); !table.empty()) out.push_back(std::move(table));
    for (slot const& one : slots_)
        if (one.is == stage::busy)
            out.push_back(one.use.name + " was still at work when the search ended: its last "
                                         "evaluation does not count");
    return out;
}

ATTUNE_INLINE std::vector<worker_use> slot_trials::uses() const
{
    std::vector<worker_use> out;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        out.push_back(slots_[i].use);
        if (out.back().name.empty()) out.back().name = on_->name(i); // it never joined
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
