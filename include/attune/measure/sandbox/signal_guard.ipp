// attune/measure/sandbox/signal_guard.ipp - handlers, signal stack and timer of the guards.
// SPDX-License-Identifier: MIT
//
// The timer ticks at a quarter of the limit and its handler counts ticks, so a call needs no system
// call.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/signals.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string signal_text(int signal, int code)
{
    switch (signal) {
    case SIGSEGV:
        return "SIGSEGV (invalid memory access)";
    case SIGBUS:
        return "SIGBUS (memory that is mapped but not there, or misaligned)";
    case SIGFPE:
        return code == FPE_INTDIV ? "SIGFPE (integer division by zero or overflow)"
                                  : "SIGFPE (arithmetic error)";
    case SIGILL:
        return "SIGILL (illegal instruction)";
    case SIGABRT:
        return "SIGABRT (abort was called)";
    case SIGTRAP:
        return "SIGTRAP (trap: code marked unreachable was reached)";
    case SIGSYS:
        return "SIGSYS (forbidden system call)";
    case SIGKILL:
        return "SIGKILL (killed from outside, often for want of memory)";
    default:
        return "signal " + std::to_string(signal);
    }
}

inline constexpr std::array guarded_signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
inline constexpr int ticks_per_limit = 4;

/// The data of a guard for the handlers on its thread.
struct guard_record {
    sigjmp_buf back{};
    std::sig_atomic_t volatile armed = 0;
    std::sig_atomic_t volatile ticks = 0;
    std::sig_atomic_t volatile signal = 0; ///< signal that stopped the call; 0: the time limit
    std::sig_atomic_t volatile code = 0;
    std::uintptr_t volatile address = 0;
    bool volatile has_address = false;
    guard_record* outer = nullptr; ///< guard of the same thread that this one replaces for a time
};

/// The guards of all threads. A handler finds its thread's guard by the thread id: the first access
/// to a thread_local of a library loaded at run time allocates memory.
struct guard_places {
    struct place {
        std::atomic<guard_record*> guard{nullptr};
        std::atomic<pthread_t> thread{}; ///< written before `guard`
    };
    std::array<place, 32> places{};
    std::atomic<guard_places*> more{nullptr}; ///< never deleted
};

// Signal handlers get no argument from attune: they use these variables.
inline guard_places first_guards{};
inline std::array<taken_handler, guarded_signals.size()> fault_handlers{};
inline std::atomic<int> tick_signal{0};
// Handlers do not use the count and the lock.
inline int living_guards = 0;
inline std::mutex guards_lock;

/// @return  null: this thread has no guard
[[nodiscard]] inline guard_places::place* place_of_this_thread() noexcept
{
    for (guard_places* some = &first_guards; some != nullptr; some = some->more)
        for (auto& p : some->places)
            if (p.guard.load() != nullptr &&
                ::pthread_equal(p.thread.load(), ::pthread_self()) != 0)
                return &p;
    return nullptr;
}

/// The innermost guard of this thread; null: it has none.
[[nodiscard]] inline guard_record* guard_of_this_thread() noexcept
{
    guard_places::place const* const p = place_of_this_thread();
    return p != nullptr ? p->guard.load() : nullptr;
}

/// @pre  guards_lock is held
inline void place_guard(guard_record* guard)
{
    if (guard_places::place* const own = place_of_this_thread()) {
        guard->outer = own->guard;
        own->guard = guard;
        return;
    }
    for (guard_places* some = &first_guards;; some = some->more) {
        for (auto& p : some->places) {
            if (p.guard != nullptr) continue;
            p.thread = ::pthread_self();
            p.guard = guard;
            return;
        }
        if (some->more == nullptr) some->more = new guard_places;
    }
}

/// Passes a signal to the former handler.
inline void pass_on(int signal, siginfo_t* info, void* context) noexcept
{
    for (std::size_t i = 0; i < guarded_signals.size(); ++i)
        if (guarded_signals[i] == signal) return fault_handlers[i].pass_on(signal, info, context);
}

inline void on_fault(int signal, siginfo_t* info, void* context)
{
    guard_record* const guard = guard_of_this_thread();
    if (guard == nullptr || guard->armed == 0) return pass_on(signal, info, context);
    guard->armed = 0;
    guard->signal = signal;
    guard->code = info->si_code;
    bool const is_memory = signal == SIGSEGV || signal == SIGBUS;
    guard->has_address = is_memory && info->si_code > 0 && info->si_code < 0x80; // not SI_KERNEL
    guard->address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    ::siglongjmp(guard->back, 1);
}

inline void on_tick(int, siginfo_t* info, void*)
{
    guard_record* const guard = guard_of_this_thread();
    // The timer of an outer guard ticks, too.
    if (guard == nullptr || guard->armed == 0 || info->si_value.sival_ptr != guard) return;
    guard->ticks = guard->ticks + 1;
    if (guard->ticks <= ticks_per_limit) return;
    guard->armed = 0;
    guard->signal = 0;
    ::siglongjmp(guard->back, 1);
}

/// Installs `ours` on a real-time signal without a handler. Another copy of attune may do the same
/// at the same time; the copy that replaces the default action owns the signal.
/// @return  0 if there is none
[[nodiscard]] inline int take_unused_signal(struct sigaction const& ours) noexcept
{
#if defined(__linux__)
    // The last two come last: QEMU's user mode takes their handlers, and refuses their timers.
    int const count = SIGRTMAX - SIGRTMIN + 1;
    for (int i = 0; i < count; ++i) {
        int const signal = SIGRTMAX - (i + 2) % count;
        struct sigaction now{};
        if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
        if (::sigaction(signal, &ours, &now) == 0 && now.sa_handler == SIG_DFL) return signal;
        ::sigaction(signal, &now, nullptr);
    }
#else
    static_cast<void>(ours);
#endif
    return 0;
}

/// @pre  guards_lock is held
inline void return_handlers() noexcept
{
    for (taken_handler& h : fault_handlers)
        h.give_back();
    int const ticking = tick_signal.exchange(0);
    if (ticking == 0) return;
    struct sigaction now{};
    ::sigaction(ticking, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != on_tick) return;
    struct sigaction nothing{};
    nothing.sa_handler = SIG_IGN; // discards a pending tick
    ::sigaction(ticking, &nothing, nullptr);
    nothing.sa_handler = SIG_DFL; // as before take_unused_signal()
    ::sigaction(ticking, &nothing, nullptr);
}

/// Called in the child of a program's fork. The child has only the forking thread.
inline void forget_other_guards()
{
    for (guard_places* some = &first_guards; some != nullptr; some = some->more)
        for (auto& p : some->places)
            if (::pthread_equal(p.thread.load(), ::pthread_self()) == 0) p.guard = nullptr;
    bool const had_some = living_guards > 0;
    living_guards = 0;
    for (guard_record const* g = guard_of_this_thread(); g != nullptr; g = g->outer)
        ++living_guards;
    if (had_some && living_guards == 0) return_handlers();
}

inline void take_handlers(guard_record* guard)
{
    static bool const once = [] {
        watch_forks();
        add_fork_part({.lock = [] { guards_lock.lock(); },
                       .unlock = [] { guards_lock.unlock(); },
                       .in_child = forget_other_guards});
        return true;
    }();
    static_cast<void>(once);
    std::scoped_lock const one(guards_lock);
    place_guard(guard);
    if (living_guards++ > 0) return;
    struct sigaction ours{};
    ours.sa_sigaction = on_fault;
    // NODEFER: the signal is not blocked after the jump.
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ::sigemptyset(&ours.sa_mask);
    for (std::size_t i = 0; i < guarded_signals.size(); ++i)
        fault_handlers[i].take(guarded_signals[i], ours);
    struct sigaction ticking{};
    ticking.sa_sigaction = on_tick;
    ticking.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
    ::sigemptyset(&ticking.sa_mask);
    tick_signal = take_unused_signal(ticking);
}

inline void leave_handlers(guard_record* guard) noexcept
{
    std::scoped_lock const one(guards_lock);
    if (guard_places::place* const own = place_of_this_thread()) own->guard = guard->outer;
    if (--living_guards == 0) return_handlers();
}

/// Returns true if `f` returned, false if it was stopped. Exceptions of `f` pass through. No object
/// here may have a destructor, because the handler jumps into this function.
[[gnu::noinline]] inline bool call_guarded(guard_record& guard, std::function<void()> const& f)
{
    if (sigsetjmp(guard.back, 0) != 0) return false;
    guard.ticks = 0;
    guard.armed = 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    try {
        f();
    } catch (...) {
        guard.armed = 0; // while the frame to jump to exists
        throw;
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    guard.armed = 0;
    return true;
}

/// @pre  called in a `catch` block
[[nodiscard]] inline stopped stopped_by_exception()
{
    std::string const text = text_of_exception();
    return {{failure_stage::crash, text.substr(0, text.find('\n')), text}};
}

ATTUNE_INLINE void call_unguarded(std::function<void()> const& f)
{
    try {
        f();
    } catch (...) {
        throw stopped_by_exception();
    }
}

struct signal_guard::state {
    static constexpr std::size_t stack_bytes = 64 * 1024;

    double limit_s;
    guard_record record{};
    own_float_environment::landing numbers{};
    sigset_t former_mask{};
    stack_t former_stack{};
    void* stack = nullptr;
#if defined(__linux__)
    timer_t timer{};
    bool has_timer = false;
#endif

    explicit state(double seconds)
        : limit_s(seconds)
    {
        stack = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1, 0);
        if (stack == MAP_FAILED) refuse("no memory for a signal stack");
        stack_t ours{};
        ours.ss_sp = stack;
        ours.ss_size = stack_bytes;
        ::sigaltstack(&ours, &former_stack);
        take_handlers(&record);
        sigset_t open;
        ::sigemptyset(&open);
        for (int const signal : guarded_signals)
            ::sigaddset(&open, signal);
        if (tick_signal != 0) ::sigaddset(&open, tick_signal);
        ::pthread_sigmask(SIG_UNBLOCK, &open, &former_mask);
        if (!start_ticking()) {
            int const why = errno;
            end();
            errno = why;
            refuse("no timer to limit a kernel's run");
        }
    }
    ~state() { end(); }
    state(state const&) = delete;
    state& operator=(state const&) = delete;

    [[noreturn]] static void refuse(char const* what)
    {
        throw error(what, std::strerror(errno), "turn the guard off with isolation::none");
    }

    [[nodiscard]] bool start_ticking() noexcept
    {
#if defined(__linux__)
        if (tick_signal == 0 || !std::isfinite(limit_s) || limit_s > 1e9) return true;
        sigevent to_this_thread{};
        to_this_thread.sigev_notify = SIGEV_THREAD_ID;
        to_this_thread.sigev_signo = tick_signal;
        to_this_thread.sigev_value.sival_ptr = &record;
        to_this_thread._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
        if (::timer_create(CLOCK_MONOTONIC, &to_this_thread, &timer) != 0) return false;
        has_timer = true;
        double const tick_s = std::max(limit_s, 1e-3) / ticks_per_limit;
        itimerspec every{};
        every.it_interval.tv_sec = static_cast<time_t>(tick_s);
        every.it_interval.tv_nsec = static_cast<long>(1e9 * (tick_s - std::floor(tick_s)));
        every.it_value = every.it_interval;
        return ::timer_settime(timer, 0, &every, nullptr) == 0;
#else
        return true;
#endif
    }

    void end() noexcept
    {
#if defined(__linux__)
        if (has_timer) ::timer_delete(timer);
#endif
        leave_handlers(&record);
        ::pthread_sigmask(SIG_SETMASK, &former_mask, nullptr);
        ::sigaltstack(&former_stack, nullptr);
        ::munmap(stack, stack_bytes);
    }

    [[nodiscard]] failure verdict() const
    {
        if (record.signal == 0)
            return {failure_stage::timeout, "still running after " + seconds_text(limit_s)};
        std::string reason = signal_text(record.signal, record.code);
        if (record.has_address)
            reason += " at address " + detail::hexadecimal_text(record.address, 1);
        return {failure_stage::crash, reason};
    }
};

ATTUNE_INLINE signal_guard::signal_guard(double limit_s)
    : state_(std::make_unique<state>(limit_s))
{
}

ATTUNE_INLINE signal_guard::~signal_guard() = default;

ATTUNE_INLINE void signal_guard::call(std::function<void()> const& f)
{
    try {
        if (call_guarded(state_->record, f)) return;
    } catch (...) {
        throw stopped_by_exception();
    }
    // The kernel has reset the floating-point unit for the handler.
    state_->numbers.restore();
    throw stopped{state_->verdict()};
}

} // namespace attune::inline ATTUNE_ABI::detail
