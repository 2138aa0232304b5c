// attune/core/posix/program_end.hpp - the end of the program: work that stops before it, objects and code that stay until it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <atomic>
#include <limits>
#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Prevents the unloading of the shared object that holds this copy of attune, because handlers of
/// signals, forks and exit() point into it. Does nothing in an executable.
/// Cost     one load of a flag after the first call
void keep_this_library_loaded() noexcept;

/// Returns true after exit(), or the end of the main thread, has reached attune. Static objects may
/// be gone then: attune calls nothing that may use them, and frees no memory.
[[nodiscard]] bool program_is_ending() noexcept;

/// Makes exit() wait for all work_in_progress before it destroys a static object that exists now.
/// Call it at the start of work, on the thread that creates a worker. Call it also after opening a
/// library that must not be used after exit().
/// Cost     32 bytes for each of the first thousand calls, never freed
void watch_program_end() noexcept;

/// Exists on a thread while the thread tunes, compiles or checks. exit() on another thread waits
/// for this object's destructor or a call of pause_at_end(), two seconds at most. pause_at_end()
/// does not return then. A thread may have several objects.
class work_in_progress {
public:
    /// Does not return if exit() runs on another thread.
    /// Errors  attune::error: exit() runs on this thread (a destructor calls a kernel)
    work_in_progress();
    ~work_in_progress();
    work_in_progress(work_in_progress const&) = delete;
    work_in_progress& operator=(work_in_progress const&) = delete;
};

/// Does not return if exit() runs on another thread. Call it often, without a lock that exit() may
/// need (of malloc, stdio or the program).
/// Cost     1 ns
void pause_at_end() noexcept;

/// Number of threads with work in progress, without the calling thread.
[[nodiscard]] int others_at_work() noexcept;

/// Returns true after Ctrl-C while an interrupt_guard exists. On a thread with a stopped_by,
/// returns the flag of that object instead.
/// Cost     1 ns
[[nodiscard]] bool stop_is_requested() noexcept;
/// Sets the result of stop_is_requested(). The signal handler and its owner call it.
void request_stop(bool requested) noexcept;

/// While a thread has an object of this class, `stop` ends that thread's work and Ctrl-C does not.
/// Used for work beside the program's own. At most one per thread.
class stopped_by {
public:
    /// @pre  `stop` outlives this object
    explicit stopped_by(std::atomic<bool> const& stop) noexcept;
    ~stopped_by();
    stopped_by(stopped_by const&) = delete;
    stopped_by& operator=(stopped_by const&) = delete;

    [[nodiscard]] static bool is_here() noexcept { return here() != nullptr; }
    /// The flag that stops this thread's work, for threads that help with it. Null if Ctrl-C stops
    /// it.
    [[nodiscard]] static std::atomic<bool> const* here() noexcept;
};

/// Thrown to end work without a result: stop_is_requested(), or the time limit has passed.
struct cut_short {};

/// While a thread has an object of this class, cut_here() may end the thread's work.
class cuttable {
public:
    /// @param limit_s  wall seconds from now; after them the work ends, too
    explicit cuttable(double limit_s = std::numeric_limits<double>::infinity()) noexcept;
    ~cuttable();
    cuttable(cuttable const&) = delete;
    cuttable& operator=(cuttable const&) = delete;

private:
    double end_before_s_; ///< limit of the outer `cuttable`
};

/// Calls pause_at_end(). If this thread has a `cuttable`, throws cut_short after its limit, or if
/// stop_is_requested().
/// Cost     2 ns; 30 ns with a limit
void cut_here();

/// Sets the count of other threads' work to 0, in the child of a fork.
void forget_other_work() noexcept;

/// Keeps an object until the process ends, also during the destructors of static objects. Use it
/// for loaded code: another thread may run the code while its owner is destroyed or exit() runs.
/// Ignores null. Keeps an object once, even if it is given twice.
void keep_forever(std::shared_ptr<void const> object);

/// Owns an object, but does not destroy it when the program ends: other threads may still use it
/// then.
template <class T>
class owned_until_end {
public:
    explicit owned_until_end(T* object) noexcept
        : object_(object)
    {
    }
    owned_until_end(owned_until_end&& other) noexcept
        : object_(std::exchange(other.object_, nullptr))
    {
    }
    owned_until_end& operator=(owned_until_end&& other) noexcept
    {
        std::swap(object_, other.object_);
        return *this;
    }
    ~owned_until_end()
    {
        if (!program_is_ending()) {
            delete object_;
            return;
        }
        try { // leak checkers then find the object reachable
            keep_forever(std::shared_ptr<void const>(std::shared_ptr<void const>(), object_));
        } catch (...) {
        }
    }

    /// Returns false after a move to another object.
    [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }
    [[nodiscard]] T* operator->() const noexcept { return object_; }
    [[nodiscard]] T& operator*() const noexcept { return *object_; }

private:
    T* object_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/program_end.ipp>
#endif
