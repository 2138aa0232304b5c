// tests/core/own_float_environment.cpp : mirrors include/attune/core/own_float_environment.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/core/own_float_environment.hpp>

#include <cfenv>
#include <doctest/doctest.h>
#include <limits>
#include <pthread.h>
#include <thread>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "../support/float_host.hpp"

using attune::detail::float_environment;
using attune::detail::hosts_float_environment;
using attune::detail::own_float_environment;
using attune_test::float_host;
using attune_test::raise_all;

TEST_CASE("work runs in the usual environment, and the host's is as it was")
{
    float_host const host;
    unsigned long const mode = float_environment{}.mode();
    std::feraiseexcept(FE_INEXACT);
    int const raised = std::fetestexcept(FE_ALL_EXCEPT);
    {
        own_float_environment const numbers;
        CHECK(float_environment{}.is_usual());
        CHECK(std::fetestexcept(FE_ALL_EXCEPT) == 0);
        CHECK(attune_test::third_of(1.0) == 1.0 / 3); // rounded to nearest
        CHECK(attune_test::third_of(std::numeric_limits<double>::denorm_min() * 30) > 0);
        raise_all(); // no signal
        own_float_environment const within;
        raise_all();
    }
    CHECK(float_environment{}.mode() == mode);
    CHECK(std::fetestexcept(FE_ALL_EXCEPT) == raised);
}

#if defined(__aarch64__)
TEST_CASE("modes of AArch64 that glibc does not reset are the host's alone")
{
    float_environment const before;
    unsigned long const wanted = 1UL << 25 | 1UL << 19; // DN: one NaN for all; FZ16, if it is there
    asm volatile("msr fpcr, %0" : : "r"(wanted));
    unsigned long const modes = float_environment{}.mode();
    CHECK((modes & 1UL << 25) != 0);
    {
        own_float_environment const numbers;
        CHECK(float_environment{}.is_usual());
        hosts_float_environment const of_host;
        CHECK(float_environment{}.mode() == modes);
    }
    CHECK(float_environment{}.mode() == modes);
    before.set();
}
#endif

TEST_CASE("host code within runs in the host's environment")
{
    float_host const host;
    unsigned long const mode = float_environment{}.mode();
    int const raised = std::fetestexcept(FE_ALL_EXCEPT);
    own_float_environment const numbers;
    {
        hosts_float_environment const of_host;
        CHECK(float_environment{}.mode() == mode);
        std::feraiseexcept(FE_INEXACT);
        own_float_environment const again; // a search within an objective
        CHECK(float_environment{}.is_usual());
    }
    CHECK(float_environment{}.is_usual());
    CHECK(own_float_environment::hosts().mode() == mode);
    hosts_float_environment const of_host;
    CHECK(std::fetestexcept(FE_ALL_EXCEPT) == (raised | FE_INEXACT));
}

TEST_CASE("flags of host code reach the host only where they are kept")
{
    using flags = hosts_float_environment::flags;
    std::feclearexcept(FE_ALL_EXCEPT);
    {
        own_float_environment const numbers;
        hosts_float_environment const of_trial{flags::dropped};
        raise_all();
    }
    CHECK(std::fetestexcept(FE_ALL_EXCEPT) == 0);
    {
        own_float_environment const numbers;
        hosts_float_environment const of_objective{flags::kept};
        CHECK(std::fetestexcept(FE_ALL_EXCEPT) == 0);
        std::feraiseexcept(FE_OVERFLOW);
    }
    CHECK(std::fetestexcept(FE_OVERFLOW) != 0);
    CHECK(std::fetestexcept(FE_INVALID) == 0);
    std::feclearexcept(FE_ALL_EXCEPT);
}

TEST_CASE("a mode that host code changes is the host's from then on")
{
    {
        own_float_environment const numbers;
        {
            hosts_float_environment const of_host;
            std::fesetround(FE_UPWARD);
        }
        CHECK(std::fegetround() == FE_TONEAREST);
    }
    CHECK(std::fegetround() == FE_UPWARD);
    std::fesetround(FE_TONEAREST);
}

TEST_CASE("a handler that jumps back restores the scope")
{
    float_host const host;
    unsigned long const mode = float_environment{}.mode();
    {
        own_float_environment const numbers;
        own_float_environment::landing const here;
        alignas(hosts_float_environment) unsigned char room[sizeof(hosts_float_environment)];
        ::new (room) hosts_float_environment; // its destructor does not run
        here.restore();
        CHECK(float_environment{}.is_usual());
        own_float_environment const within; // is an inner one
        CHECK(own_float_environment::hosts().mode() == mode);
    }
    CHECK(float_environment{}.mode() == mode);
}

TEST_CASE("threads that start within inherit the usual environment")
{
    float_host const host;
    own_float_environment const numbers;
    bool is_usual = false;
    std::thread([&] { is_usual = float_environment{}.is_usual(); }).join();
    CHECK(is_usual);
}

TEST_CASE("what a scope changes in the floating-point unit is undone, its precision, too")
{
    std::feclearexcept(FE_ALL_EXCEPT);
    {
        attune::detail::kept_float_environment const kept;
        std::fesetround(FE_UPWARD);
        std::feraiseexcept(FE_INVALID);
#if defined(__x86_64__)
        _mm_setcsr(_mm_getcsr() | 0x8040U);
        unsigned short const single = 0x007F; // 24 bits
        asm volatile("fldcw %0" : : "m"(single));
#elif defined(__aarch64__)
        unsigned long const flushes = 1UL << 24;
        asm volatile("msr fpcr, %0" : : "r"(flushes));
#endif
    }
    CHECK(float_environment{}.is_usual());
    CHECK(std::fetestexcept(FE_ALL_EXCEPT) == 0);
#if defined(__x86_64__)
    long double volatile three = 3;
    CHECK(static_cast<long double>(static_cast<double>(1 / three)) != 1 / three);
#endif
}

TEST_CASE("a thread that is cancelled within ends after the scope")
{
    pthread_t thread{};
    bool is_done = false;
    auto const run = [](void* done) -> void* {
        {
            own_float_environment const numbers;
            own_float_environment const within;
            pthread_cancel(pthread_self());
            pthread_testcancel();
            *static_cast<bool*>(done) = true;
        }
        pthread_testcancel();
        return nullptr;
    };
    REQUIRE(pthread_create(&thread, nullptr, run, &is_done) == 0);
    void* end = nullptr;
    pthread_join(thread, &end);
    CHECK(is_done);
    CHECK(end == PTHREAD_CANCELED);
}
