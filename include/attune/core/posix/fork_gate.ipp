// attune/core/posix/fork_gate.ipp - attune's pthread_atfork() handlers.
// SPDX-License-Identifier: MIT
//
// The first handler of a fork locks every mutex that the handlers touch, in one order. No deadlock
// can follow: a thread that holds one of these mutexes neither locks another mutex nor forks.
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/stay_loaded.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <pthread.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct fork_safe_mutex::state {
    std::mutex mutex{};
    std::atomic<pthread_t> owner{};
    std::atomic<bool> is_held{false};
    state* next = nullptr;
    state** link = nullptr; ///< the pointer that points to this state
};

inline std::atomic<unsigned> amid_work_forks{0};
inline thread_local own_fork* own_fork_of_this_thread = nullptr;

struct fork_handlers {
    /// Never destroyed: a fork may happen at any time.
    std::mutex gate{};
    std::mutex list_lock{};
    fork_safe_mutex::state* mutexes = nullptr;
    std::array<fork_part, 8> parts{};
    std::size_t part_count = 0;
    bool was_amid_work = false;

    [[nodiscard]] static fork_handlers& all() noexcept
    {
        static auto* const made = new fork_handlers;
        return *made;
    }

    static void prepare()
    {
        fork_handlers& h = all();
        h.gate.lock();
        if (own_fork* const own = own_fork_of_this_thread) return own->before_();
        h.list_lock.lock();
        for (std::size_t i = 0; i < h.part_count; ++i)
            h.parts[i].lock();
        h.was_amid_work = others_at_work() > 0;
    }
    void unlock()
    {
        for (std::size_t i = part_count; i > 0; --i)
            parts[i - 1].unlock();
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
        h.unlock();
    }
    static void child()
    {
        fork_handlers& h = all();
        if (own_fork_of_this_thread != nullptr) return h.gate.unlock();
        if (h.was_amid_work) ++amid_work_forks;
        forget_other_work();
        // All that this thread does not hold are made anew: `is_held` says less of others, which
        // may have been between the mutex and their mark of it.
        for (auto* m = h.mutexes; m != nullptr; m = m->next) {
            if (m->is_held && ::pthread_equal(m->owner.load(), ::pthread_self()) != 0) continue;
            ::new (&m->mutex) std::mutex;
            m->is_held = false;
        }
        for (std::size_t i = 0; i < h.part_count; ++i)
            h.parts[i].in_child();
        h.unlock();
    }
};

ATTUNE_INLINE void add_fork_part(fork_part const& part)
{
    fork_handlers& h = fork_handlers::all();
    std::scoped_lock const one(h.gate);
    if (h.part_count < h.parts.size()) h.parts[h.part_count++] = part;
}

ATTUNE_INLINE void watch_forks() noexcept
{
    static bool const once = [] {
        keep_this_library_loaded();
        return ::pthread_atfork(
                   fork_handlers::prepare, fork_handlers::parent, fork_handlers::child) == 0;
    }();
    static_cast<void>(once);
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

ATTUNE_INLINE fork_safe_mutex::fork_safe_mutex()
    : state_(std::make_unique<state>())
{
    watch_forks();
    fork_handlers& h = fork_handlers::all();
    std::scoped_lock const one(h.list_lock);
    state_->next = h.mutexes;
    state_->link = &h.mutexes;
    if (h.mutexes != nullptr) h.mutexes->link = &state_->next;
    h.mutexes = state_.get();
}

ATTUNE_INLINE fork_safe_mutex::~fork_safe_mutex()
{
    fork_handlers& h = fork_handlers::all();
    std::scoped_lock const one(h.list_lock);
    *state_->link = state_->next;
    if (state_->next != nullptr) state_->next->link = state_->link;
}

ATTUNE_INLINE void fork_safe_mutex::lock()
{
    state_->mutex.lock();
    state_->owner = ::pthread_self();
    state_->is_held = true;
}

ATTUNE_INLINE bool fork_safe_mutex::try_lock()
{
    if (!state_->mutex.try_lock()) return false;
    state_->owner = ::pthread_self();
    state_->is_held = true;
    return true;
}

ATTUNE_INLINE void fork_safe_mutex::unlock()
{
    state_->is_held = false;
    state_->mutex.unlock();
}

ATTUNE_INLINE bool fork_safe_mutex::is_mine() const noexcept
{
    return state_->is_held.load() && ::pthread_equal(state_->owner.load(), ::pthread_self()) != 0;
}

} // namespace attune::inline ATTUNE_ABI::detail
