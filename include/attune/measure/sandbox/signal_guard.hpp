// attune/measure/sandbox/signal_guard.hpp - calls functions that may crash or hang in this process.
// SPDX-License-Identifier: MIT
// Bench    bench/measure/overhead.cpp
//
// The signal handler has a separate stack and jumps back
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <functional>
#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Thrown by signal_guard::call(), with the reason why the function did not return.
struct stopped {
    failure why;
};

/// While a thread has an object of this class, call() survives SIGSEGV, SIGBUS, SIGILL, SIGFPE and
/// SIGABRT. The guard limits the time of a function, and turns its exceptions into failures.
///
/// The guard protects less than sandboxed_run(). Memory stays overwritten, destructors do not run,
/// allocations and locks are kept, and exit() ends the program. A fault on another thread (of
/// OpenMP, say) goes to the former handlers. A function that blocks all signals cannot be stopped.
///
/// The last guard restores the program's handlers; each guard restores its thread's signal mask and
/// stack. Each thread may have several guards; the innermost guard handles the thread's signals.
class signal_guard {
public:
    /// @param limit_s  wall seconds for each call, which stops after 1 to 1.25 times that.
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

/// "SIGSEGV (invalid memory access)".
[[nodiscard]] std::string signal_text(int signal, int code);

/// Calls `f` without a guard: only exceptions become failures.
/// Errors   `stopped`
void call_unguarded(std::function<void()> const& f);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/signal_guard.ipp>
#endif
