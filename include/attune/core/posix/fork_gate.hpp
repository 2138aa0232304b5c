// attune/core/posix/fork_gate.hpp - forks of the program and attune's own, one at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

/// Registers attune's handlers of pthread_atfork(), once. A program may fork at any moment, also
/// while another of its threads tunes; its child gets handlers, locks and counts of attune's that
/// are in order, and none of the work. Forks wait for each other meanwhile: attune's own changes
/// what a child inherits.
void watch_forks() noexcept;

/// A part of attune that a fork has to find in order.
struct fork_part {
    void (*lock)() = nullptr; ///< its mutex is held across the program's forks
    void (*unlock)() = nullptr;
    void (*in_child)() = nullptr; ///< called in their child, with the mutex held
};

/// @pre  the mutex lives as long as the program; no more than eight parts
void add_fork_part(fork_part const& part);

/// How often, up to this process, a program forked while another thread had work in progress. What
/// that thread was at (a compiler's session, say) may be half done in the child for good.
[[nodiscard]] unsigned forks_amid_work() noexcept;

/// Around attune's own fork(): no fork of another thread comes between `before` and `after`.
/// Example  own_fork const scope{[&] { leave_out(); }, [&] { take_in(); }}; pid_t id = fork();
class own_fork {
public:
    /// @param before  called in fork(), before it copies; @param after  then, in the parent alone
    own_fork(std::function<void()> before, std::function<void()> after);
    ~own_fork();
    own_fork(own_fork const&) = delete;
    own_fork& operator=(own_fork const&) = delete;

private:
    friend struct fork_handlers;
    std::function<void()> before_;
    std::function<void()> after_;
};

/// A mutex that a child of the program can use: if another thread held it at the fork, it is free
/// there. What it protects may be half changed then.
class fork_safe_mutex {
public:
    fork_safe_mutex();
    ~fork_safe_mutex();
    fork_safe_mutex(fork_safe_mutex const&) = delete;
    fork_safe_mutex& operator=(fork_safe_mutex const&) = delete;

    void lock();
    [[nodiscard]] bool try_lock();
    void unlock();
    /// The calling thread holds it.
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
