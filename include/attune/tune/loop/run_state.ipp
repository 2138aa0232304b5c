// attune/tune/loop/run_state.ipp - counts and the clock of a loop, and the signal handler behind interrupt_guard.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/signals.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/run_state.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <limits>
#include <mutex>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

// A signal handler can access only globals.
inline taken_handler interrupt_handler{};
inline std::atomic<unsigned> interrupts_seen{0};
inline std::atomic<bool> are_interrupts_ours{false};
// The handler does not access these.
inline int living_interrupt_guards = 0;
inline bool is_interrupt_taken = false;
inline bool must_run_handler = false;
inline std::mutex interrupt_lock;

inline void on_interrupt(int signal, siginfo_t* info, void* context)
{
    if (!are_interrupts_ours.load() || interrupts_seen.fetch_add(1) > 0)
        return interrupt_handler.pass_on(signal, info, context);
    request_stop(true);
}

/// @return  number of Ctrl-C presses. @pre  interrupt_lock is held
inline unsigned end_interrupts() noexcept
{
    are_interrupts_ours = false;
    if (is_interrupt_taken) interrupt_handler.give_back();
    is_interrupt_taken = false;
    request_stop(false);
    return interrupts_seen.exchange(0);
}

/// Runs in a child of a fork by the program, whose Ctrl-C has nothing to do with the guards.
inline void forget_interrupts()
{
    if (living_interrupt_guards == 0) return;
    living_interrupt_guards = 0;
    static_cast<void>(end_interrupts());
}

inline void begin_interrupts() noexcept
{
    struct sigaction ours{};
    ours.sa_sigaction = on_interrupt;
    ::sigemptyset(&ours.sa_mask);
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    are_interrupts_ours = true;
    is_interrupt_taken = true;
    interrupt_handler.take(SIGINT, ours);
}

ATTUNE_INLINE interrupt_guard::interrupt_guard(afterwards what)
    : is_idle_(stopped_by::is_here())
    , what_(what)
{
    if (is_idle_) return;
    static bool const once = [] {
        keep_this_library_loaded();
        watch_forks();
        add_fork_part({.lock = [] { interrupt_lock.lock(); },
                       .unlock = [] { interrupt_lock.unlock(); },
                       .in_child = forget_interrupts});
        return true;
    }();
    static_cast<void>(once);
    resume();
}

ATTUNE_INLINE interrupt_guard::~interrupt_guard() { pause(); }

ATTUNE_INLINE void interrupt_guard::resume()
{
    if (is_idle_ || std::exchange(is_on_, true)) return;
    std::scoped_lock const one(interrupt_lock);
    if (living_interrupt_guards++ == 0) {
        must_run_handler = false;
        begin_interrupts();
    }
    if (what_ == afterwards::handler_runs) must_run_handler = true;
}

ATTUNE_INLINE void interrupt_guard::pause()
{
    if (!std::exchange(is_on_, false)) return;
    unsigned seen = 0;
    {
        std::scoped_lock const one(interrupt_lock);
        if (living_interrupt_guards == 0) return; // made before a fork: forget_interrupts()
        if (--living_interrupt_guards > 0) return;
        seen = end_interrupts();
        if (!must_run_handler) return;
    }
    struct sigaction now{};
    // A second Ctrl-C has already reached the program.
    if (seen == 1 && ::sigaction(SIGINT, nullptr, &now) == 0 && detail::is_function(now))
        static_cast<void>(::kill(::getpid(), SIGINT));
}

ATTUNE_INLINE bool interrupt_guard::requested() const noexcept { return stop_is_requested(); }

ATTUNE_INLINE std::uint32_t possible_evaluations(chain_of_trees const& space)
{
    constexpr std::uint32_t many = std::numeric_limits<std::uint32_t>::max();
    auto const size = space.size();
    if (space.has_real_parameters() || !size || *size > many) return many;
    return static_cast<std::uint32_t>(*size);
}

ATTUNE_INLINE
run_state::run_state(std::string name, search_limits const& limits, std::uint32_t possible,
                     progress_sink sink)
    : name_(std::move(name))
    , judge_(limits)
    , possible_(static_cast<std::uint32_t>(std::min<std::uint64_t>(limits.evaluations, possible)))
    , sink_(std::move(sink))
    , start_s_(steady_seconds())
{
}

ATTUNE_INLINE struct progress run_state::state(progress_event event, std::string const& text) const
{
    struct progress out;
    out.event = event;
    out.name = name_;
    out.evaluation = evaluations();
    out.evaluations = possible_ == std::numeric_limits<std::uint32_t>::max() ? 0 : possible_;
    out.pruned = pruned_;
    out.has_best = best_.has_value();
    if (best_) out.best_value = objective_.turned(best_->second.value);
    out.default_value = objective_.turned(default_value_);
    out.baseline_value = objective_.turned(baseline_value_);
    out.objective = objective_;
    out.failures = failures_;
    out.elapsed_s = elapsed_s();
    out.left_s = left_s();
    out.text = text;
    return out;
}

ATTUNE_INLINE void run_state::add(point const& at, outcome const& result, std::string const& text,
                                  bool is_comparable)
{
    bool improved = false;
    auto const* const m = std::get_if<measurement>(&result);
    outcome const checked = m == nullptr ? result : outcome_of(m->value); // NaN becomes a failure
    judge_.add(checked);
    if (auto const* failed = std::get_if<failure>(&checked)) {
        if (failures_[static_cast<std::size_t>(failed->stage)]++ == 0) firsts_.push_back(*failed);
    } else {
        improved = is_comparable && (!best_ || m->value < best_->second.value);
        if (improved) best_.emplace(at, *m);
    }
    if (!sink_) return;
    struct progress p = state(progress_event::evaluated, text);
    p.improved = improved;
    sink_(p);
}

ATTUNE_INLINE std::string run_state::common_failure() const
{
    std::uint32_t const failed = total(failures_);
    if (firsts_.size() != 1 || failed < 2 || failed + 1 < evaluations()) return {};
    failure const& first = firsts_.front();
    return "all " + std::to_string(failed) + " configurations " +
           (failed < evaluations() ? "but the default " : "") + std::string(describe(first.stage)) +
           "; the first reason: " + first.reason;
}

ATTUNE_INLINE void run_state::announce(progress_event event, std::string const& text) const
{
    if (sink_) sink_(state(event, text));
}

ATTUNE_INLINE bool run_state::budget_left(double reserve_s) const
{
    return judge_.has_room(elapsed_s() + reserve_s);
}

ATTUNE_INLINE double run_state::elapsed_s() const
{
    return paused_s_ ? *paused_s_ : steady_seconds() - start_s_;
}

ATTUNE_INLINE void run_state::pause() { paused_s_ = elapsed_s(); }

ATTUNE_INLINE void run_state::resume()
{
    if (paused_s_) start_s_ = steady_seconds() - *paused_s_;
    paused_s_.reset();
}

} // namespace attune::inline ATTUNE_ABI::detail
