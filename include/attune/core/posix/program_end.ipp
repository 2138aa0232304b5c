// attune/core/posix/program_end.ipp - an exit handler, a count of working threads, and the list of kept objects.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/steady_seconds.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unordered_map>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void keep_this_library_loaded() noexcept
{
    static bool const once = [] {
        static char const here = 0;
        Dl_info info{};
        if (::dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return false;
        // RTLD_NOLOAD finds a loaded object by its name; an executable has no such name.
        return ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
    }();
    static_cast<void>(once);
}

enum class end_phase : std::uint8_t {
    running,
    leaving, ///< exit() or pthread_exit() destroys the main thread's objects
    ending,  ///< exit() runs its handlers
};

inline std::atomic<bool> is_stop_requested{false};
inline std::atomic<end_phase> phase_of_end{end_phase::running};
inline std::atomic<pthread_t> ending_thread{};
inline std::atomic<int> threads_at_work{0}; ///< without threads in stand_still()
inline std::atomic<int> end_handlers{0};
// Objects on this thread. A signal handler never reads these counts.
inline thread_local int work_of_this_thread = 0;
inline thread_local int cuttable_of_this_thread = 0;
inline thread_local double end_of_this_thread_s = std::numeric_limits<double>::infinity();
inline thread_local std::atomic<bool> const* stop_of_this_thread = nullptr;

inline void nap_ms() noexcept
{
    timespec const nap{0, 1'000'000};
    ::nanosleep(&nap, nullptr);
}

inline void end_on_this_thread(end_phase phase) noexcept
{
    ending_thread = ::pthread_self();
    phase_of_end = phase;
    for (int waited_ms = 0; others_at_work() > 0 && waited_ms < 2000; ++waited_ms)
        nap_ms();
}

inline void at_program_end()
{
    if (phase_of_end.load() != end_phase::ending) end_on_this_thread(end_phase::ending);
}

/// Stops other threads' work before any exit handler, if the main thread calls exit(). The handlers
/// run later, last registered first, and a running compiler may register destructors at any time.
struct end_of_main_thread {
    end_of_main_thread() = default;
    end_of_main_thread(end_of_main_thread const&) = delete;
    end_of_main_thread& operator=(end_of_main_thread const&) = delete;
    ~end_of_main_thread()
    {
        if (is_main && phase_of_end.load() == end_phase::running)
            end_on_this_thread(end_phase::leaving);
    }
    bool is_main = ::getpid() == static_cast<pid_t>(::syscall(SYS_gettid));
};

[[nodiscard]] inline bool is_ending_elsewhere() noexcept
{
    return phase_of_end.load() != end_phase::running &&
           ::pthread_equal(ending_thread.load(), ::pthread_self()) == 0;
}

/// Returns only if the main thread called pthread_exit(), not exit().
inline void stand_still() noexcept
{
    if (work_of_this_thread > 0) --threads_at_work;
    for (int waited_ms = 0; phase_of_end.load() != end_phase::ending; ++waited_ms) {
        nap_ms();
        end_phase leaving = end_phase::leaving;
        if (waited_ms > 10'000 && phase_of_end.compare_exchange_strong(leaving, end_phase::running))
            break;
        if (phase_of_end.load() == end_phase::running) break;
    }
    while (phase_of_end.load() == end_phase::ending)
        ::pause();
    if (work_of_this_thread > 0) ++threads_at_work;
}

ATTUNE_INLINE bool program_is_ending() noexcept
{
    return phase_of_end.load() != end_phase::running;
}

ATTUNE_INLINE void watch_program_end() noexcept
{
    static thread_local end_of_main_thread const here;
    static_cast<void>(here.is_main);
    if (++end_handlers > 1000) return;
    keep_this_library_loaded();
    static_cast<void>(std::atexit(at_program_end));
}

ATTUNE_INLINE work_in_progress::work_in_progress()
{
    watch_forks();
    if (work_of_this_thread++ == 0) ++threads_at_work;
    if (is_ending_elsewhere()) stand_still();
    if (!program_is_ending()) return;
    if (--work_of_this_thread == 0) --threads_at_work;
    throw error("a kernel was called for something new while the program ends",
                "a destructor of a static object, or a handler of atexit()",
                "call it before the end of main()");
}

ATTUNE_INLINE work_in_progress::~work_in_progress()
{
    pause_at_end();
    if (--work_of_this_thread == 0) --threads_at_work;
}

ATTUNE_INLINE void pause_at_end() noexcept
{
    if (is_ending_elsewhere()) stand_still();
}

ATTUNE_INLINE int others_at_work() noexcept
{
    return threads_at_work.load() - (work_of_this_thread > 0 ? 1 : 0);
}

ATTUNE_INLINE bool stop_is_requested() noexcept
{
    std::atomic<bool> const* const own = stop_of_this_thread;
    return (own != nullptr ? *own : is_stop_requested).load(std::memory_order_relaxed);
}

ATTUNE_INLINE void request_stop(bool requested) noexcept { is_stop_requested = requested; }

ATTUNE_INLINE stopped_by::stopped_by(std::atomic<bool> const& stop) noexcept
{
    stop_of_this_thread = &stop;
}

ATTUNE_INLINE stopped_by::~stopped_by() { stop_of_this_thread = nullptr; }

ATTUNE_INLINE std::atomic<bool> const* stopped_by::here() noexcept { return stop_of_this_thread; }

ATTUNE_INLINE void cut_here()
{
    pause_at_end();
    if (cuttable_of_this_thread == 0) return;
    bool const is_limited = end_of_this_thread_s < std::numeric_limits<double>::infinity();
    if (stop_is_requested() || (is_limited && steady_seconds() > end_of_this_thread_s))
        throw cut_short{};
}

ATTUNE_INLINE cuttable::cuttable(double limit_s) noexcept
    : end_before_s_(end_of_this_thread_s)
{
    ++cuttable_of_this_thread;
    if (limit_s < std::numeric_limits<double>::infinity())
        end_of_this_thread_s = std::min(end_before_s_, steady_seconds() + limit_s);
}

ATTUNE_INLINE cuttable::~cuttable()
{
    --cuttable_of_this_thread;
    end_of_this_thread_s = end_before_s_;
}

ATTUNE_INLINE void forget_other_work() noexcept
{
    threads_at_work = work_of_this_thread > 0 ? 1 : 0;
}

struct kept_objects {
    fork_safe_mutex lock{};
    std::unordered_map<void const*, std::shared_ptr<void const>> all{};

    [[nodiscard]] static kept_objects& get()
    {
        static auto* const made = new kept_objects; // never destroyed, reachable by leak checkers
        return *made;
    }
};

ATTUNE_INLINE void keep_forever(std::shared_ptr<void const> object)
{
    if (!object) return;
    kept_objects& kept = kept_objects::get();
    std::scoped_lock const one(kept.lock);
    void const* const at = object.get();
    kept.all.emplace(at, std::move(object));
}

} // namespace attune::inline ATTUNE_ABI::detail
