// tests/measure/sandbox/signal_guard.cpp : mirrors include/attune/measure/sandbox/signal_guard.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/signal_guard.hpp>

#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include "../../support/sanitized.hpp"
#include "faults.hpp"

using attune::failure;
using attune::failure_stage;
using attune::detail::signal_guard;
using attune::detail::stopped;
using attune_test::divide;
using attune_test::overflow_the_stack;
using attune_test::write_to;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

failure stopped_by(std::function<void()> const& f, double limit_s = 5)
{
    signal_guard guard{limit_s};
    try {
        guard.call(f);
    } catch (stopped const& s) {
        return s.why;
    }
    return {failure_stage::launch, "it returned"};
}

bool equal(struct sigaction const& a, struct sigaction const& b)
{
    constexpr int restorer = 0x04000000; // the C library's own, on every handler it has ever set
    bool same = a.sa_handler == b.sa_handler && (a.sa_flags | restorer) == (b.sa_flags | restorer);
    for (int signal = 1; signal < NSIG; ++signal)
        same = same && sigismember(&a.sa_mask, signal) == sigismember(&b.sa_mask, signal);
    return same;
}

} // namespace

TEST_CASE("a fault ends the call and is told like that of a child")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    auto* const nowhere = reinterpret_cast<char volatile*>(std::uintptr_t{16}); // NOLINT
    failure const f = stopped_by([&] { write_to(nowhere); });
    CHECK(f.stage == failure_stage::crash);
    CHECK(f.reason == "SIGSEGV (invalid memory access) at address 0x10");
#if defined(__x86_64__) || defined(__i386__)
    int volatile result = 0;
    CHECK(stopped_by([&] { result = divide(7, result); }).reason ==
          "SIGFPE (integer division by zero or overflow)");
    CHECK(stopped_by([] { asm volatile("ud2"); }).reason == "SIGILL (illegal instruction)");
#endif
    CHECK(stopped_by([] { std::abort(); }).reason == "SIGABRT (abort was called)");
    CHECK(stopped_by([] { raise(SIGBUS); }).stage == failure_stage::crash);
}

TEST_CASE("an overflown stack ends the call, not the program")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    int volatile result = 0;
    failure const f = stopped_by([&] { result = overflow_the_stack(0); });
    CHECK(f.stage == failure_stage::crash);
    CHECK(f.reason.substr(0, 7) == "SIGSEGV");
}

TEST_CASE("an exception ends the call with its text")
{
    failure const f = stopped_by([] { throw std::runtime_error("first\nsecond"); });
    CHECK(f.stage == failure_stage::crash);
    CHECK(f.reason == "first");
    CHECK(f.log == "first\nsecond");
    CHECK(stopped_by([] { throw 7; }).reason == "an exception that is not a std::exception");
}

#if defined(__linux__)
TEST_CASE("what runs or sleeps too long is stopped")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    auto const spin = [] {
        for (;;)
            asm volatile("");
    };
    failure const f = stopped_by(spin, 0.05);
    CHECK(f.stage == failure_stage::timeout);
    CHECK(f.reason == "still running after 0.05 s");
    auto const sleep_on = [] {
        for (;;)
            pause();
    };
    CHECK(stopped_by(sleep_on, 0.05).stage == failure_stage::timeout);
}

#if defined(__linux__)
TEST_CASE("the last real-time signal serves where the program has all others")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    auto const spin_for_a_second = [] {
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        while (std::chrono::steady_clock::now() < end) {
        }
    };
    struct sigaction taken{};
    taken.sa_handler = [](int) {};
    struct sigaction before[NSIG]{};
    for (int signal = SIGRTMIN; signal < SIGRTMAX; ++signal)
        ::sigaction(signal, &taken, &before[signal]);
    failure const f = stopped_by(spin_for_a_second, 0.05);
    for (int signal = SIGRTMIN; signal < SIGRTMAX; ++signal)
        ::sigaction(signal, &before[signal], nullptr);
    CHECK(f.stage == failure_stage::timeout);
}
#endif

TEST_CASE("the limit is one call's, however many there are")
{
    // A second for each: only a machine that stands still for as long could stop one of them. All
    // of them take more than the second and a quarter after which one that went on would be.
    signal_guard guard{1};
    int calls = 0;
    for (int i = 0; i < 150; ++i)
        guard.call([&] {
            usleep(10'000);
            ++calls;
        });
    CHECK(calls == 150);
}
#endif

TEST_CASE("a guard goes on after a fault, a hundred times")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    signal_guard guard{never};
    char* volatile null = nullptr;
    int survived = 0;
    for (int i = 0; i < 100; ++i) {
        try {
            guard.call([&] { write_to(null); });
        } catch (stopped const&) {
            ++survived;
        }
        guard.call([] {});
    }
    CHECK(survived == 100);
}

TEST_CASE("the floating-point mode survives a fault")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    std::fesetround(FE_UPWARD);
    static_cast<void>(stopped_by([] { raise(SIGSEGV); }));
    CHECK(std::fegetround() == FE_UPWARD);
    std::fesetround(FE_TONEAREST);
}

TEST_CASE("handlers, mask and signal stack of the program are back when the guard goes")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    struct sigaction mine{};
    mine.sa_handler = [](int) {};
    mine.sa_flags = SA_RESTART;
    sigemptyset(&mine.sa_mask);
    sigaddset(&mine.sa_mask, SIGUSR1);
    struct sigaction before_ours{};
    sigaction(SIGFPE, &mine, &before_ours);
    struct sigaction before[NSIG]{};
    for (int signal = 1; signal < NSIG; ++signal)
        sigaction(signal, nullptr, &before[signal]);
    sigset_t former;
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGABRT);
    pthread_sigmask(SIG_BLOCK, &blocked, &former);
    stack_t stack_before{};
    sigaltstack(nullptr, &stack_before);
    CHECK(stopped_by([] { std::abort(); }).stage == failure_stage::crash);
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction now{};
        sigaction(signal, nullptr, &now);
        CAPTURE(signal);
        CHECK(equal(now, before[signal]));
    }
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    CHECK(sigismember(&mask, SIGABRT) == 1);
    stack_t stack_now{};
    sigaltstack(nullptr, &stack_now);
    CHECK(stack_now.ss_sp == stack_before.ss_sp);
    pthread_sigmask(SIG_SETMASK, &former, nullptr);
    sigaction(SIGFPE, &before_ours, nullptr);
}

TEST_CASE("a signal on another thread goes to the program's own handler")
{
    static int volatile seen = 0;
    seen = 0;
    struct sigaction mine{};
    mine.sa_handler = [](int) { seen = seen + 1; };
    struct sigaction former{};
    sigaction(SIGFPE, &mine, &former);
    {
        signal_guard guard{never};
        guard.call([] { std::thread([] { raise(SIGFPE); }).join(); });
        raise(SIGFPE); // here, but not in a call
    }
    CHECK(seen == 2);
    sigaction(SIGFPE, &former, nullptr);
}

TEST_CASE("guards on two threads do not get in each other's way")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    int survived = 0;
    signal_guard guard{never};
    std::thread other([&] {
        for (int i = 0; i < 50; ++i)
            if (stopped_by([] { raise(SIGSEGV); }).stage == failure_stage::crash) ++survived;
    });
    int here = 0;
    for (int i = 0; i < 50; ++i) {
        try {
            guard.call([] { raise(SIGILL); });
        } catch (stopped const&) {
            ++here;
        }
    }
    other.join();
    CHECK(here == 50);
    CHECK(survived == 50);
}

TEST_CASE("a call under a guard may be under another guard, and each has its own limit")
{
    signal_guard outer{0.4};
    bool is_done = false;
    outer.call([&] {
        CHECK(stopped_by([] { std::raise(SIGSEGV); }).stage == failure_stage::crash);
        // The timer of the outer guard ticks ten times meanwhile: neither call is stopped by it.
        CHECK(stopped_by([] { ::usleep(1'000'000); }).stage == failure_stage::launch);
        is_done = true;
    });
    CHECK(is_done);
    try {
        outer.call([] { std::raise(SIGSEGV); });
        FAIL("it returned");
    } catch (stopped const& s) {
        CHECK(s.why.stage == failure_stage::crash);
    }
}
