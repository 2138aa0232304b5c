// attune/core/posix/program_end.hpp - work that stands still before a program's objects are destroyed.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// True from the moment exit() has come to attune: objects of the program, and those of
/// libraries that were loaded later than the program, are about to be destroyed or are gone. What
/// would call them is left undone from then on, and memory is left to the system.
[[nodiscard]] bool program_is_ending() noexcept;

/// Has exit() wait for work_in_progress before it destroys any static object that exists now. To be
/// called by the thread that makes what works later, when a library is open that must not be used
/// after exit(), and at the start of work. Cost  32 bytes for good, up to a thousand times
void watch_program_end() noexcept;

/// Lives on a thread while it tunes, compiles or checks. exit(), called on another thread, waits
/// until each such thread has come to an end of this object or to pause_at_end(), where it stays;
/// no longer than two seconds. Several may live on one thread.
class work_in_progress {
public:
    /// Does not return when the program is ending on another thread.
    /// Errors  attune::error: the program is ending on this thread (a destructor calls a kernel)
    work_in_progress();
    ~work_in_progress();
    work_in_progress(work_in_progress const&) = delete;
    work_in_progress& operator=(work_in_progress const&) = delete;
};

/// Does not return when the program is ending on another thread. To be called often, where the
/// calling thread holds no lock that exit() may need: malloc's, stdio's, the program's.
/// Cost  1 ns
void pause_at_end() noexcept;

/// How many threads have work in progress, the calling thread left out.
[[nodiscard]] int others_at_work() noexcept;

/// Ctrl-C was pressed, and some interrupt_guard lives. Cost  1 ns
[[nodiscard]] bool stop_is_requested() noexcept;
/// For a signal handler and for its owner.
void request_stop(bool requested) noexcept;

/// Thrown where work was cut short because stop_is_requested(): what it was at proves nothing.
struct cut_short {};

/// While it lives on a thread, what that thread does may be cut short.
class cuttable {
public:
    cuttable() noexcept;
    ~cuttable();
    cuttable(cuttable const&) = delete;
    cuttable& operator=(cuttable const&) = delete;
};

/// Where work of this thread may stand still or be cut short: pause_at_end(), then cut_short is
/// thrown if stop_is_requested() and a `cuttable` lives on this thread. Cost  2 ns
void cut_here();

/// After a fork of the program: work of other threads is not in this process.
void forget_other_work() noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/program_end.ipp>
#endif
