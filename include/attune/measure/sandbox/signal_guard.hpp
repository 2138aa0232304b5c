// attune/measure/sandbox/signal_guard.hpp - calls a function that may crash or hang, in this process.
// SPDX-License-Identifier: MIT
// Bench    bench/measure/overhead.cpp
//
// A jump out of the signal handler on a stack of its own
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI {

/// Thrown by signal_guard::call: why the function did not return.
struct stopped {
    failure why;
};

/// While it lives, calls on this thread survive SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT, run no
/// longer than a limit and give their exceptions as failures.
///
/// A second line of defence behind sandboxed_run(): what was overwritten before the fault stays so,
/// no destructor of the function runs, what it had allocated or locked stays so, exit() ends the
/// program, and a fault on another thread (of OpenMP, say) goes to the handlers that were there
/// before. A function that blocks every signal cannot be stopped.
///
/// Handlers, signal mask and signal stack of the program are back, exactly, when the last guard
/// goes. Guards may live on several threads at once, one on each.
class signal_guard {
public:
    /// @param limit_s  wall seconds for each call; it is stopped between that and a quarter more.
    ///                 Infinity: none. Where there is no timer_create: none
    /// Errors  attune::error when there is no memory for a signal stack or no timer
    /// Cost    20 us, with its end
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

/// Calls without a guard: only an exception becomes a failure.
/// Errors   `stopped`
void call_unguarded(std::function<void()> const& f);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/signal_guard.ipp>
#endif
