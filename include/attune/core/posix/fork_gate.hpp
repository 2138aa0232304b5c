// attune/core/posix/fork_gate.hpp - locks that stay usable in the child of a fork.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

/// Registers attune's pthread_atfork() handlers, once. A program may fork while another of its
/// threads tunes. In the child, attune's handlers, locks and counts are valid, and no work is in
/// progress. Two threads never fork at the same time, because attune's own forks change the state
/// that the child inherits.
void watch_forks() noexcept;

/// Callbacks for a part of attune whose state a fork must find consistent.
struct fork_part {
    void (*lock)() = nullptr;     ///< locks its mutex before the program's forks
    void (*unlock)() = nullptr;   ///< unlocks it after the fork, in parent and child
    void (*in_child)() = nullptr; ///< called in the child, with the mutex held
};

/// Does not wait.  @pre  the mutex lives as long as the program
void add_fork_part(fork_part const& part);

/// Counts the forks of this process and its ancestors during which another thread had work in
/// progress. State of that thread, such as a compiler's session, may be half changed in the child.
[[nodiscard]] unsigned forks_amid_work() noexcept;

/// The scope of one of attune's own fork() calls.
/// Example  own_fork const scope{[&] { leave_out(); }, [&] { take_in(); }}; pid_t id = fork();
class own_fork {
public:
    /// @param before  called by fork() before it copies the process
    /// @param after   called by fork() afterwards, in the parent only
    own_fork(std::function<void()> before, std::function<void()> after);
    ~own_fork();
    own_fork(own_fork const&) = delete;
    own_fork& operator=(own_fork const&) = delete;

private:
    friend struct fork_handlers;
    std::function<void()> before_;
    std::function<void()> after_;
};

/// While a thread has an object of this class, a fork on another thread waits, two seconds at most.
/// Use the class for work that a child cannot repair: a half loaded library stays half loaded in
/// the child. A thread may have several objects.
class fork_delay {
public:
    /// Waits for the end of a fork in progress.
    fork_delay();
    ~fork_delay();
    fork_delay(fork_delay const&) = delete;
    fork_delay& operator=(fork_delay const&) = delete;
};

/// The length of time for which a thread holds a fork_safe_mutex.
enum class lock_use : std::uint8_t {
    /// Perhaps seconds: the data may be half changed in the child of a fork.
    long_work,
    /// Microseconds. A fork waits for such a mutex, a second at most, so the child has whole data.
    /// The thread that holds it locks no other mutex, makes no fork_safe_mutex and calls no user
    /// function.
    brief,
};

/// A mutex that is usable in a forked child. A mutex that another thread held at the fork is
/// unlocked in the child.
class fork_safe_mutex {
public:
    explicit fork_safe_mutex(lock_use use = lock_use::long_work);
    ~fork_safe_mutex();
    fork_safe_mutex(fork_safe_mutex const&) = delete;
    fork_safe_mutex& operator=(fork_safe_mutex const&) = delete;

    /// Errors  attune::error: this thread holds the mutex, perhaps because a signal handler
    ///         interrupted it
    void lock();
    [[nodiscard]] bool try_lock();
    /// Waits without polling, `most_ms` at most. @pre  this thread does not hold the mutex
    [[nodiscard]] bool try_lock_for_ms(int most_ms);
    void unlock();
    /// Returns true if the calling thread holds the mutex.
    [[nodiscard]] bool is_mine() const noexcept;

private:
    friend struct fork_handlers;
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/fork_gate.ipp>
#endif
