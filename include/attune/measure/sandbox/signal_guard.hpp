// attune/measure/sandbox/signal_guard.hpp - calls functions in this process that may crash or hang.
// SPDX-License-Identifier: MIT
// Bench    bench/measure/overhead.cpp
//
// The signal handler, on a stack of its own, jumps back
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

/// Thrown by signal_guard::call(): why the function did not return.
struct stopped {
    failure why;
};

/// While it exists, call() on this thread survives SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT,
/// limits the time of a function, and turns its exceptions into failures.
///
/// It protects less than sandboxed_run(): memory stays overwritten, destructors do not run,
/// allocations and locks are kept, exit() ends the program, and a fault on another thread (of
/// OpenMP, say) goes to the former handlers. A function that blocks all signals cannot be stopped.
///
/// The last guard restores the program's handlers; each guard restores its thread's signal mask and
/// stack. Several threads may have one guard each.
class signal_guard {
public:
    /// @param limit_s  wall seconds for each call, which is stopped after 1 to 1.25 times that.
    ///                 Infinity, or no timer_create(): no limit
    /// Errors  attune::error: no memory for a signal stack, or no timer
    /// Cost    20 us, with the destructor
    explicit signal_guard(double limit_s);
    ~signal_guard();
    signal_guard(signal_guard const&) = delete;
    signal_guard& operator=(signal_guard const&) = delete;

    /// Errors  `stopped`, at stage crash or timeout
    /// Cost    30 ns, without a system call
    void call(std::function<void()> const& f);

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Calls `f` without a guard: only exceptions become failures.
/// Errors   `stopped`
void call_unguarded(std::function<void()> const& f);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/signal_guard.ipp>
#endif
