// attune/core/posix/program_end.hpp - stops attune's threads before static objects are destroyed.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <atomic>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

/// True once exit(), or the end of the main thread, has reached attune: static objects of the
/// program, and of libraries loaded after it, are being destroyed or are gone. From then on nothing
/// that may use them is called, and memory is not freed.
[[nodiscard]] bool program_is_ending() noexcept;

/// Makes exit() wait for all work_in_progress before it destroys a static object that exists now.
/// Call it at the start of work, on the thread that creates a worker, and after a library is opened
/// that must not be used after exit().
/// Cost     32 bytes, kept; up to a thousand times
void watch_program_end() noexcept;

/// Exists on a thread while the thread tunes, compiles or checks. exit(), called on another thread,
/// waits at most two seconds, until each such thread destroys this object or calls pause_at_end(),
/// where the thread then stays. One thread may have several.
class work_in_progress {
public:
    /// Does not return when exit() runs on another thread.
    /// Errors  attune::error: exit() runs on this thread (a destructor calls a kernel)
    work_in_progress();
    ~work_in_progress();
    work_in_progress(work_in_progress const&) = delete;
    work_in_progress& operator=(work_in_progress const&) = delete;
};

/// Does not return when exit() runs on another thread. Call it often, where the calling thread
/// holds no lock that exit() may need (malloc's, stdio's, the program's).
/// Cost     1 ns
void pause_at_end() noexcept;

/// Number of threads with work in progress, without the calling thread.
[[nodiscard]] int others_at_work() noexcept;

/// True after Ctrl-C while an interrupt_guard exists; on a thread with a stopped_by, when that
/// says so.
/// Cost     1 ns
[[nodiscard]] bool stop_is_requested() noexcept;
/// Sets what stop_is_requested() returns; called by the signal handler and its owner.
void request_stop(bool requested) noexcept;

/// While one exists on a thread, `stop` ends that thread's work and Ctrl-C does not: for work
/// beside the program's own. One per thread.
class stopped_by {
public:
    /// @pre  `stop` outlives this object
    explicit stopped_by(std::atomic<bool> const& stop) noexcept;
    ~stopped_by();
    stopped_by(stopped_by const&) = delete;
    stopped_by& operator=(stopped_by const&) = delete;

    /// Whether one exists on this thread.
    [[nodiscard]] static bool is_here() noexcept { return here() != nullptr; }
    /// What stops this thread's work, for threads that help with it; null: Ctrl-C does.
    [[nodiscard]] static std::atomic<bool> const* here() noexcept;
};

/// Thrown where work was ended early: stop_is_requested(), or its time is over. It has no result.
struct cut_short {};

/// While one exists on a thread, cut_here() may end the thread's work.
class cuttable {
public:
    /// @param limit_s  wall seconds from now, after which the work is ended, too
    explicit cuttable(double limit_s = std::numeric_limits<double>::infinity()) noexcept;
    ~cuttable();
    cuttable(cuttable const&) = delete;
    cuttable& operator=(cuttable const&) = delete;

private:
    double end_before_s_; ///< that of the `cuttable` around this one
};

/// Calls pause_at_end(); then throws cut_short if a `cuttable` exists on this thread, and its limit
/// has passed or stop_is_requested().
/// Cost     2 ns; 30 ns with a limit
void cut_here();

/// Sets the count of other threads' work to 0, in the child of a fork.
void forget_other_work() noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/program_end.ipp>
#endif
