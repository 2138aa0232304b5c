// tests/emulated_cuda/kernel_faults.cpp - signal handlers on a stack of their own, and a timer.
// SPDX-License-Identifier: MIT
#include <ctime>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel_faults.hpp"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace attune_emulated {
namespace {

bool (*tell)(int error) = nullptr;

constexpr std::size_t stack_bytes = 64 * 1024;

/// The C library's own, past a sanitizer's: the thread sanitizer would hold the timer's signal back
/// until the kernel that it is to stop calls a function, and would take what comes after a jump out
/// of a handler for a part of the handler.
int set_action(int signal, struct sigaction const* how, struct sigaction* before)
{
    using function = int (*)(int, struct sigaction const*, struct sigaction*);
    static auto const own = reinterpret_cast<function>(
        ::dlsym(::dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "sigaction"));
    return own(signal, how, before);
}

int error_of(int signal, siginfo_t const* what)
{
    switch (signal) {
    case SIGSEGV:
        // What x86 says of an aligned access at an address that is not.
        return what->si_code == SI_KERNEL ? 716 : 700;
    case SIGBUS:
        return what->si_code == BUS_ADRALN ? 716 : 700;
    case SIGILL:
        return 716; // the check of an address that the compiler put before each access
    default:
        return 719;
    }
}

void on_fault(int signal, siginfo_t* what, void*)
{
    if (tell(error_of(signal, what))) return;
    struct sigaction ends = {};
    ends.sa_handler = SIG_DFL; // the driver's own mistake: the instruction runs again and ends it
    (void)set_action(signal, &ends, nullptr);
}

void on_timer(int, siginfo_t*, void*) { (void)tell(0); }

} // namespace

kernel_faults::kernel_faults(bool (*interrupt)(int error), double hang_s)
    : stack_(std::make_unique<std::byte[]>(stack_bytes))
{
    tell = interrupt;
    stack_t own{};
    own.ss_sp = stack_.get();
    own.ss_size = stack_bytes;
    ::sigaltstack(&own, &stack_before_);
    struct sigaction how = {};
    how.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    how.sa_sigaction = on_fault;
    for (std::size_t i = 0; i < caught.size(); ++i)
        (void)set_action(caught[i], &how, &before_[i]);
    if (hang_s <= 0) return;
    how.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
    how.sa_sigaction = on_timer;
    int const alarm = SIGRTMAX - 3;
    (void)set_action(alarm, &how, &before_timer_);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = alarm;
    event.sigev_notify_thread_id = static_cast<pid_t>(::syscall(SYS_gettid));
    has_timer_ = ::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
    if (!has_timer_) return;
    auto const seconds = static_cast<time_t>(hang_s);
    itimerspec limit{};
    limit.it_value.tv_sec = seconds;
    limit.it_value.tv_nsec = static_cast<long>((hang_s - static_cast<double>(seconds)) * 1e9);
    if (limit.it_value.tv_sec == 0 && limit.it_value.tv_nsec == 0) limit.it_value.tv_nsec = 1;
    limit.it_interval.tv_nsec = 10'000'000; // again, if it came while the machine itself worked
    ::timer_settime(timer_, 0, &limit, nullptr);
}

kernel_faults::~kernel_faults()
{
    if (has_timer_) {
        ::timer_delete(timer_);
        (void)set_action(SIGRTMAX - 3, &before_timer_, nullptr);
    }
    for (std::size_t i = 0; i < caught.size(); ++i)
        (void)set_action(caught[i], &before_[i], nullptr);
    ::sigaltstack(&stack_before_, nullptr);
}

} // namespace attune_emulated
