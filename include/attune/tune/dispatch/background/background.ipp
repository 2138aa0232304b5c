// attune/tune/dispatch/background/background.ipp - the thread's loop.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/forever.hpp>
#include <attune/core/posix/only_faults_unblocked.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/dispatch/background/background.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Threads of this process see it. See has_other_threads().
inline void name_this_thread(char const* name) { ::pthread_setname_np(::pthread_self(), name); }

struct background_worker::state {
    std::mutex lock{}; ///< of the members below
    std::condition_variable changed{};
    struct job {
        std::function<void()> work;
        float_environment hosts; ///< of the thread that gave it: that of the calls
    };
    std::deque<job> line{};
    bool is_at_work = false;
    bool is_over = false;
    std::thread thread{};
    std::atomic<pid_t> process{0}; ///< in which the thread runs; 0: there is none yet
    std::atomic<bool> stop{false};

    [[nodiscard]] bool is_here() const noexcept { return process == ::getpid(); }

    void run()
    {
        stopped_by const told(stop);
        name_this_thread(own_thread_name);
        std::unique_lock here(lock);
        while (true) {
            changed.wait(here, [this] { return is_over || !line.empty(); });
            if (is_over) return;
            job next = std::move(line.front());
            line.pop_front();
            is_at_work = true;
            here.unlock();
            name_this_thread("attune tune"); // one that may change what all threads share
            try {
                next.hosts.set();
                own_float_environment const numbers;
                next.work();
            } catch (...) { // a sink or a check of the program threw; no caller can catch it
            }
            next.work = nullptr; // what it holds is freed without the lock
            name_this_thread(own_thread_name);
            here.lock();
            is_at_work = false;
            changed.notify_all();
        }
    }
};

ATTUNE_INLINE background_worker::background_worker()
    : state_(std::make_shared<state>())
{
}

ATTUNE_INLINE std::shared_ptr<background_worker::state> background_worker::now() const
{
    std::shared_ptr<state> of_parent;
    std::shared_ptr<state> out;
    {
        auto fresh = std::make_shared<state>();
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        if (state_->process != 0 && !state_->is_here())
            of_parent = std::exchange(state_, std::move(fresh));
        out = state_;
    }
    // The thread is the parent's: it may have held the lock, and there is nothing to wait for.
    if (of_parent) keep_forever(std::move(of_parent));
    return out;
}

ATTUNE_INLINE background_worker::~background_worker()
{
    std::shared_ptr<state> const held = now();
    state& s = *held;
    if (s.process == 0) return;
    {
        std::scoped_lock const here(s.lock);
        s.is_over = true;
        s.stop = true;
        s.line.clear();
        s.changed.notify_all();
    }
    s.thread.join();
}

ATTUNE_INLINE void background_worker::add(std::function<void()> job)
{
    std::shared_ptr<state> const held = now();
    state& s = *held;
    std::scoped_lock const here(s.lock);
    if (s.process == 0) {
        watch_program_end();
        only_faults_unblocked const quiet;
        s.thread = std::thread([&s] { s.run(); });
        s.process = ::getpid();
    }
    s.line.push_back({std::move(job), own_float_environment::hosts()});
    s.changed.notify_all();
}

ATTUNE_INLINE void background_worker::wait() const
{
    std::shared_ptr<state> const held = now();
    state& s = *held;
    if (!s.is_here()) return;
    std::unique_lock here(s.lock);
    auto const is_done = [&s] { return !s.is_at_work && s.line.empty(); };
    // While the program ends, the thread stands still and never will be.
    while (!program_is_ending())
        if (s.changed.wait_for(here, std::chrono::milliseconds(50), is_done)) return;
}

} // namespace attune::inline ATTUNE_ABI::detail
