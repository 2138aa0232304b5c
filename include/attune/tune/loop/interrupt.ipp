// attune/tune/loop/interrupt.ipp - the signal handler behind interrupt_guard.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/signals.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/interrupt.hpp>

#include <atomic>
#include <csignal>
#include <mutex>
#include <unistd.h>
#include <utility>

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

} // namespace attune::inline ATTUNE_ABI::detail
