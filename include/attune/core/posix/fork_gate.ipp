// attune/core/posix/fork_gate.ipp - attune's pthread_atfork() handlers.
// SPDX-License-Identifier: MIT
//
// Parts and mutexes are added without a lock, because function-local statics add them. A static
// whose construction waits for a fork stays half made in the child, and the child would hang.
//
// The first handler of a fork locks every mutex that the handlers touch, in one order. No deadlock
// can follow: a thread that holds one of these mutexes neither locks another mutex nor forks. The
// handler waits a limited time for brief mutexes and for a fork_delay.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/program_end.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <pthread.h>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct fork_safe_mutex::state {
    std::timed_mutex mutex{};
    lock_use use = lock_use::long_work;
    bool is_held_by_fork = false;
    std::atomic<pthread_t> owner{};
    std::atomic<bool> is_held{false};

    [[nodiscard]] bool is_mine() const noexcept
    {
        return is_held.load() && ::pthread_equal(owner.load(), ::pthread_self()) != 0;
    }
    void mark() noexcept
    {
        owner = ::pthread_self();
        is_held = true;
    }
    state* next = nullptr;
    state** link = nullptr; ///< pointer to this state; null: this state is in `new_mutexes`
};

inline std::atomic<unsigned> amid_work_forks{0};
inline thread_local own_fork* own_fork_of_this_thread = nullptr;
inline thread_local int delays_of_this_thread = 0;

inline constexpr std::chrono::milliseconds longest_fork_delay{2000};
inline constexpr std::chrono::milliseconds longest_wait_for_brief{
    1000}; ///< for all of them together

struct fork_handlers {
    /// Never destroyed: a fork may happen at any time.
    std::mutex gate{};
    std::mutex list_lock{};
    fork_safe_mutex::state* mutexes = nullptr;                 ///< under `list_lock`
    std::atomic<fork_safe_mutex::state*> new_mutexes{nullptr}; ///< not yet in the list
    struct listed_part : fork_part {
        listed_part const* next = nullptr;
    };
    std::atomic<listed_part const*> parts{nullptr}; ///< last added part; parts are never removed
    listed_part const* locked_parts = nullptr;      ///< parts of the fork in progress
    std::atomic<int> delays{0};                     ///< a thread's first delay begins under `gate`
    bool was_amid_work = false;

    [[nodiscard]] static fork_handlers& all() noexcept
    {
        static auto* const made = new fork_handlers;
        return *made;
    }

    /// @pre  `gate` is held, so no delay begins
    void wait_for_delays()
    {
        auto const until = std::chrono::steady_clock::now() + longest_fork_delay;
        while (delays > delays_of_this_thread && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    /// @pre  `list_lock` is held
    void list_new_mutexes() noexcept
    {
        for (auto* m = new_mutexes.exchange(nullptr); m != nullptr;) {
            auto* const following = m->next;
            m->next = mutexes;
            m->link = &mutexes;
            if (mutexes != nullptr) mutexes->link = &m->next;
            mutexes = m;
            m = following;
        }
    }
    void lock_brief_ones()
    {
        auto const until = std::chrono::steady_clock::now() + longest_wait_for_brief;
        for (auto* m = mutexes; m != nullptr; m = m->next) {
            m->is_held_by_fork = m->use == lock_use::brief && !m->is_mine() &&
                                 (m->mutex.try_lock() || m->mutex.try_lock_until(until));
            if (m->is_held_by_fork) m->mark(); // lock() in a user's fork handler then throws
        }
    }

    static void prepare()
    {
        fork_handlers& h = all();
        h.gate.lock();
        if (own_fork* const own = own_fork_of_this_thread) return own->before_();
        h.wait_for_delays();
        h.list_lock.lock();
        h.list_new_mutexes();
        h.locked_parts = h.parts.load();
        for (auto const* part = h.locked_parts; part != nullptr; part = part->next)
            part->lock();
        h.lock_brief_ones();
        h.was_amid_work = others_at_work() > 0;
    }
    void unlock()
    {
        for (auto const* part = locked_parts; part != nullptr; part = part->next)
            part->unlock();
        list_lock.unlock();
        gate.unlock();
    }
    static void parent()
    {
        fork_handlers& h = all();
        if (own_fork* const own = own_fork_of_this_thread) {
            own->after_();
            return h.gate.unlock();
        }
        for (auto* m = h.mutexes; m != nullptr; m = m->next)
            if (std::exchange(m->is_held_by_fork, false)) {
                m->is_held = false;
                m->mutex.unlock();
            }
        h.unlock();
    }
    static void child()
    {
        fork_handlers& h = all();
        if (own_fork_of_this_thread != nullptr) return h.gate.unlock();
        if (h.was_amid_work) ++amid_work_forks;
        forget_other_work();
        h.delays = delays_of_this_thread;
        h.list_new_mutexes();
        // Makes a new mutex for each one that this thread does not hold. `is_held` may be false for
        // a mutex that another thread holds, because a thread marks a mutex after it locks the
        // mutex.
        for (auto* m = h.mutexes; m != nullptr; m = m->next) {
            if (!std::exchange(m->is_held_by_fork, false) && m->is_mine()) continue;
            ::new (&m->mutex) std::timed_mutex;
            m->is_held = false;
        }
        for (auto const* part = h.locked_parts; part != nullptr; part = part->next)
            part->in_child();
        h.unlock();
    }
};

ATTUNE_INLINE void add_fork_part(fork_part const& part)
{
    fork_handlers& h = fork_handlers::all();
    auto* const made = new fork_handlers::listed_part{{part}};
    made->next = h.parts.load();
    while (!h.parts.compare_exchange_weak(made->next, made)) {
    }
}

ATTUNE_INLINE fork_delay::fork_delay()
{
    watch_forks();
    fork_handlers& h = fork_handlers::all();
    std::unique_lock no_fork(h.gate, std::defer_lock);
    if (delays_of_this_thread++ == 0) no_fork.lock(); // else a waiting fork may hold it
    ++h.delays;
}

ATTUNE_INLINE fork_delay::~fork_delay()
{
    --delays_of_this_thread;
    --fork_handlers::all().delays;
}

ATTUNE_INLINE void watch_forks() noexcept
{
    // No function-local static, because pthread_atfork() waits for a fork.
    static std::atomic<bool> is_done{false};
    if (is_done.exchange(true)) return;
    keep_this_library_loaded();
    static_cast<void>(
        ::pthread_atfork(fork_handlers::prepare, fork_handlers::parent, fork_handlers::child));
}

ATTUNE_INLINE unsigned forks_amid_work() noexcept { return amid_work_forks.load(); }

ATTUNE_INLINE own_fork::own_fork(std::function<void()> before, std::function<void()> after)
    : before_(std::move(before))
    , after_(std::move(after))
{
    watch_forks();
    own_fork_of_this_thread = this;
}

ATTUNE_INLINE own_fork::~own_fork() { own_fork_of_this_thread = nullptr; }

ATTUNE_INLINE fork_safe_mutex::fork_safe_mutex(lock_use use)
    : state_(std::make_unique<state>())
{
    watch_forks();
    state_->use = use;
    std::atomic<state*>& newest = fork_handlers::all().new_mutexes;
    state_->next = newest.load();
    while (!newest.compare_exchange_weak(state_->next, state_.get())) {
    }
}

ATTUNE_INLINE fork_safe_mutex::~fork_safe_mutex()
{
    fork_handlers& h = fork_handlers::all();
    std::scoped_lock const one(h.list_lock);
    h.list_new_mutexes();
    *state_->link = state_->next;
    if (state_->next != nullptr) state_->next->link = state_->link;
}

ATTUNE_INLINE void fork_safe_mutex::lock()
{
    if (state_->is_mine())
        throw error("attune was called on a thread that it is at work on",
                    "a signal handler, or a function that attune calls",
                    "call a kernel there only for shapes that it was called for before");
    state_->mutex.lock();
    state_->mark();
}

ATTUNE_INLINE bool fork_safe_mutex::try_lock()
{
    if (!state_->mutex.try_lock()) return false;
    state_->mark();
    return true;
}

ATTUNE_INLINE bool fork_safe_mutex::try_lock_for_ms(int most_ms)
{
    if (!state_->mutex.try_lock_for(std::chrono::milliseconds(most_ms))) return false;
    state_->mark();
    return true;
}

ATTUNE_INLINE void fork_safe_mutex::unlock()
{
    state_->is_held = false;
    state_->mutex.unlock();
}

ATTUNE_INLINE bool fork_safe_mutex::is_mine() const noexcept { return state_->is_mine(); }

} // namespace attune::inline ATTUNE_ABI::detail
