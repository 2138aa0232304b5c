// attune/tune/pipeline/compile_queue.ipp - runs the workers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/signals.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/pipeline/compile_queue.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>
#if defined(__linux__)
#include <cerrno>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace attune::inline ATTUNE_ABI::detail {

struct compile_queue::task {
    std::function<compile_result()> compile;
    std::optional<compile_result> result{}; ///< when done: this or `thrown`
    std::exception_ptr thrown{};

    [[nodiscard]] bool is_done() const noexcept { return result || thrown; }
};

struct compile_queue::state {
    /// A thread and its CPU time, read from its clock until the thread has ended.
    struct worker {
        std::thread thread{};
        clockid_t clock{};
        bool has_ended = false;
    };

    std::size_t wanted_workers;
    core_pin core{};
    std::vector<std::unique_ptr<worker>> workers{}; ///< changed only by the measuring thread
    mutable std::mutex lock{};                      ///< guards all members below, and the tasks
    std::condition_variable changed{};
    std::deque<ticket> line{}; ///< not begun yet
    bool is_over = false;
    double spent_s = 0; ///< CPU time of workers that have ended

    explicit state(std::size_t workers_given)
        : wanted_workers(workers_given)
    {
    }

    /// Does the oldest task. @pre `held` holds `lock`, and the queue is not empty
    void do_next(std::unique_lock<std::mutex>& held)
    {
        ticket const mine = std::move(line.front());
        line.pop_front();
        held.unlock();
        std::optional<compile_result> result;
        std::exception_ptr thrown;
        try {
            work_in_progress const at_work;
            cuttable const here;
            result = mine->compile();
        } catch (...) {
            thrown = std::current_exception();
        }
        held.lock();
        mine->result = std::move(result);
        mine->thrown = std::move(thrown);
        changed.notify_all();
    }

    /// Lowers the worker's priority, so that calls of known sizes in other threads of the program
    /// do not wait for a compiler.
    static void give_way() noexcept
    {
#if defined(__linux__)
        constexpr int niceness = 5; // a third of the weight of a normal thread
        auto const self = static_cast<id_t>(::syscall(SYS_gettid));
        errno = 0;
        int const now = ::getpriority(PRIO_PROCESS, self);
        if (errno == 0) ::setpriority(PRIO_PROCESS, self, now + niceness);
        sched_param none{};
        if (::sched_getscheduler(0) == SCHED_OTHER) ::sched_setscheduler(0, SCHED_BATCH, &none);
#endif
    }

    void work(worker& self)
    {
        give_way();
        bool const is_away = core.move_off();
        std::unique_lock held(lock);
        while (is_away) {
            changed.wait(held, [&] { return is_over || !line.empty(); });
            if (is_over || program_is_ending()) break;
            do_next(held);
        }
        spent_s += system_clocks{}.thread_cpu_s();
        self.has_ended = true;
    }
};

ATTUNE_INLINE compile_queue::compile_queue(std::size_t workers)
    : state_(std::make_unique<state>(workers))
{
}

ATTUNE_INLINE compile_queue::~compile_queue() { settle(); }

ATTUNE_INLINE std::size_t compile_queue::start()
{
    state& s = *state_;
    if (!s.workers.empty()) return s.workers.size();
    if (s.wanted_workers == 0 || !s.core.hold()) return 0;
    s.is_over = false;
    std::size_t const count = std::min(s.wanted_workers, s.core.other_processors());
    s.workers.reserve(count);
    only_faults_unblocked const quiet;
    try {
        while (s.workers.size() < count) {
            auto fresh = std::make_unique<state::worker>();
            fresh->thread = std::thread([&s, self = fresh.get(), stop = stopped_by::here()] {
                std::optional<stopped_by> told;
                if (stop != nullptr) told.emplace(*stop);
                s.work(*self);
            });
            // Names the thread before start() returns; fails if the thread has ended.
            ::pthread_setname_np(fresh->thread.native_handle(), own_thread_name);
            std::scoped_lock const held(s.lock); // guards its clock
            if (!fresh->has_ended)
                ::pthread_getcpuclockid(fresh->thread.native_handle(), &fresh->clock);
            s.workers.push_back(std::move(fresh));
        }
    } catch (std::system_error const&) { // no more threads: use those that have started
        if (s.workers.empty()) s.core.release();
    }
    return s.workers.size();
}

ATTUNE_INLINE void compile_queue::settle()
{
    state& s = *state_;
    {
        std::scoped_lock const held(s.lock);
        s.is_over = true;
    }
    s.changed.notify_all();
    for (auto& w : s.workers)
        w->thread.join();
    s.workers.clear();
    s.core.release();
}

ATTUNE_INLINE compile_queue::ticket compile_queue::add(std::function<compile_result()> compile)
{
    auto const fresh = std::make_shared<task>(task{std::move(compile)});
    {
        std::scoped_lock const held(state_->lock);
        state_->line.push_back(fresh);
    }
    state_->changed.notify_all();
    return fresh;
}

ATTUNE_INLINE compile_result compile_queue::take(ticket const& wanted)
{
    state& s = *state_;
    std::unique_lock held(s.lock);
    if (std::erase(s.line, wanted) > 0) {
        held.unlock();
        return wanted->compile();
    }
    while (!wanted->is_done()) {
        if (!s.line.empty())
            s.do_next(held);
        else
            s.changed.wait(held);
    }
    if (wanted->thrown) std::rethrow_exception(wanted->thrown);
    return std::move(*wanted->result);
}

ATTUNE_INLINE void compile_queue::drop(ticket const& unwanted)
{
    std::scoped_lock const held(state_->lock);
    std::erase(state_->line, unwanted);
}

ATTUNE_INLINE double compile_queue::cpu_s() const
{
    std::scoped_lock const held(state_->lock);
    double sum = state_->spent_s;
    for (auto const& w : state_->workers)
        if (!w->has_ended) sum += read_clock_s(w->clock);
    return sum;
}

} // namespace attune::inline ATTUNE_ABI::detail
