// attune/tune/shape/online_slot.ipp - gives out turns, and counts their cost.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/shape/online_slot.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A candidate begins only within this share of the allowed loss. It may take longer than expected,
/// and the time of the serving code drifts.
inline constexpr double planned_share = 0.8;

[[nodiscard]] inline double cost_of_clock_s(std::function<double()> const& now_s)
{
    constexpr int readings = 32;
    double const begun_s = now_s();
    for (int i = 0; i < readings; ++i)
        static_cast<void>(now_s());
    return 2 * (now_s() - begun_s) / readings;
}

ATTUNE_INLINE
online_slot::online_slot(void* serves, double lost_share, std::function<double()> now_s)
    : serves_(serves)
    , lost_share_(lost_share)
    , now_s_(std::move(now_s))
    , clock_s_(cost_of_clock_s(now_s_))
{
}

ATTUNE_INLINE double online_slot::spent_s() const noexcept
{
    auto const open = static_cast<double>(unmeasured_.load(std::memory_order_relaxed) -
                                          settled_.load(std::memory_order_relaxed));
    return spent_s_.load() + open * serving_s_.load();
}

ATTUNE_INLINE bool online_slot::can_afford() const noexcept
{
    own_float_environment const numbers;
    double const serving_s = serving_s_.load(std::memory_order_relaxed);
    if (serving_s == 0) return true; // the first timed call runs the serving code alone: see end()
    double const expected_s =
        std::max(0.0, slower_.load(std::memory_order_relaxed) - 1) * serving_s + 2 * clock_s_;
    double const lost_s =
        lost_s_.load(std::memory_order_relaxed) + others_lost_s_.load(std::memory_order_relaxed);
    double const all_s = spent_s() + others_spent_s_.load(std::memory_order_relaxed);
    return lost_s + expected_s <= planned_share * lost_share_ * all_s;
}

ATTUNE_INLINE online_slot::turn online_slot::take(phase wanted)
{
    own_float_environment const numbers;
    bool const is_candidate = wanted == phase::wants_candidate;
    phase const taken = is_candidate ? phase::candidate : phase::serving;
    if (!phase_.compare_exchange_strong(wanted, taken)) return {};
    return {.entry = is_candidate ? candidate_.load() : serves_.load(),
            .is_timed = true,
            .begun_s = now_s_()};
}

ATTUNE_INLINE void online_slot::end(turn const& of, bool has_thrown)
{
    if (!of.is_timed) return;
    own_float_environment const numbers;
    double const took_s = now_s_() - of.begun_s;
    measured_.store(measured_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    // One call at a time is timed: these variables have a single writer.
    auto const add = [](std::atomic<double>& to, double what) { to.store(to.load() + what); };
    if (phase_.load() == phase::serving) {
        double const before_s = serving_s_.load();
        std::uint64_t const now = unmeasured_.load(std::memory_order_relaxed);
        std::uint64_t const open = now - std::min(now, settled_.load());
        add(spent_s_, static_cast<double>(open) * std::min(before_s, took_s) + took_s);
        add(lost_s_, clock_s_);
        settled_.store(now);
        serving_s_.store(took_s);
        latest_.serving_s = took_s;
        // After the first timed call, time the serving code again: no time is counted as spent yet.
        phase_.store(before_s > 0 && can_afford() ? phase::wants_candidate : phase::wants_serving,
                     std::memory_order_release);
        return;
    }
    add(spent_s_, took_s);
    add(lost_s_, std::max(0.0, took_s - latest_.serving_s) + clock_s_);
    latest_.candidate_s = has_thrown ? std::numeric_limits<double>::infinity() : took_s;
    phase_.store(phase::idle, std::memory_order_release);
}

ATTUNE_INLINE void online_slot::serve(void* entry) { serves_.store(entry); }

ATTUNE_INLINE void online_slot::ask(void* candidate, double slower)
{
    candidate_.store(candidate);
    slower_.store(slower);
    phase_.store(phase::wants_serving, std::memory_order_release);
}

ATTUNE_INLINE bool online_slot::withdraw()
{
    for (phase wanted : {phase::wants_serving, phase::wants_candidate})
        if (phase_.compare_exchange_strong(wanted, phase::idle)) return true;
    return phase_.load() == phase::idle;
}

ATTUNE_INLINE online_call::online_call(online_slot& through)
    : slot_(through)
    , turn_(through.begin())
    , thrown_(turn_.is_timed ? std::uncaught_exceptions() : 0)
{
}

ATTUNE_INLINE online_call::~online_call()
{
    if (turn_.is_timed) slot_.end(turn_, std::uncaught_exceptions() > thrown_);
}

} // namespace attune::inline ATTUNE_ABI::detail
