// tests/core/posix/signals.cpp - one signal, two owners, and a program beside them.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/signals.hpp>

#include <array>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <thread>

using attune::detail::taken_handler;

namespace {

int programs = 0;
int first_ran = 0;
int second_ran = 0;
taken_handler first_owner;
taken_handler second_owner;

extern "C" void programs_handler(int) { ++programs; }
extern "C" void other_handler(int) {}
extern "C" void first_handler(int signal, siginfo_t* info, void* context)
{
    ++first_ran;
    first_owner.pass_on(signal, info, context);
}
extern "C" void second_handler(int signal, siginfo_t* info, void* context)
{
    ++second_ran;
    second_owner.pass_on(signal, info, context);
}

struct sigaction action_of(void (*f)(int, siginfo_t*, void*))
{
    struct sigaction a{};
    a.sa_sigaction = f;
    a.sa_flags = SA_SIGINFO;
    return a;
}

void set(void (*f)(int))
{
    struct sigaction a{};
    a.sa_handler = f;
    ::sigaction(SIGUSR1, &a, nullptr);
}

bool is_in_place(void (*handler)(int))
{
    struct sigaction now{};
    ::sigaction(SIGUSR1, nullptr, &now);
    return now.sa_handler == handler;
}

struct fresh {
    fresh()
    {
        set(programs_handler);
        programs = first_ran = second_ran = 0;
    }
    ~fresh() { set(SIG_DFL); }
};

taken_handler third_owner;
extern "C" void third_handler(int signal, siginfo_t* info, void* context)
{
    third_owner.pass_on(signal, info, context);
}

auto const ours_first = action_of(first_handler);
auto const ours_second = action_of(second_handler);

} // namespace

TEST_CASE("what was there is called, and is back afterwards")
{
    fresh const program;
    first_owner.take(SIGUSR1, ours_first);
    CHECK(!is_in_place(programs_handler));
    ::raise(SIGUSR1);
    CHECK(first_ran == 1);
    CHECK(programs == 1);
    first_owner.give_back();
    CHECK(is_in_place(programs_handler));
}

TEST_CASE("a handler that the program has set meanwhile stays")
{
    fresh const program;
    first_owner.take(SIGUSR1, ours_first);
    set(other_handler);
    first_owner.give_back();
    CHECK(is_in_place(other_handler));
}

TEST_CASE("owners that end in any order leave the program's handler reachable, once")
{
    fresh const program;
    for (int round = 0; round < 100; ++round) {
        first_owner.take(SIGUSR1, ours_first);
        second_owner.take(SIGUSR1, ours_second);
        first_owner.give_back(); // below the second: cannot
        ::raise(SIGUSR1);
        first_owner.take(SIGUSR1, ours_first); // above it now, and below
        ::raise(SIGUSR1);
        second_owner.give_back();
        ::raise(SIGUSR1);
        first_owner.give_back();
        ::raise(SIGUSR1);
    }
    CHECK(programs == 400);
}

TEST_CASE("three owners that take and give back in any order never lose a signal, nor double it")
{
    fresh const program;
    std::array<taken_handler*, 3> const owners{&first_owner, &second_owner, &third_owner};
    std::array<struct sigaction, 3> const ours{ours_first, ours_second, action_of(third_handler)};
    std::array<bool, 3> is_taken{};
    std::uint64_t random = 1;
    for (int i = 1; i <= 20'000; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        auto const k = static_cast<std::size_t>(random >> 33) % 3;
        if (is_taken[k])
            owners[k]->give_back();
        else
            owners[k]->take(SIGUSR1, ours[k]);
        is_taken[k] = !is_taken[k];
        ::raise(SIGUSR1);
        REQUIRE(programs == i);
    }
}

TEST_CASE("owners at work on two threads never take the program's handler from a third")
{
    fresh const program;
    std::atomic<bool> is_over{false};
    auto const owner = [&](taken_handler& its, struct sigaction const& ours) {
        while (!is_over) {
            its.take(SIGUSR1, ours);
            its.give_back();
        }
    };
    std::thread first([&] { owner(first_owner, ours_first); });
    std::thread second([&] { owner(second_owner, ours_second); });
    for (int i = 1; i <= 100'000; ++i) {
        ::raise(SIGUSR1);
        REQUIRE(programs == i);
    }
    is_over = true;
    first.join();
    second.join();
}

TEST_CASE("a signal that was ignored is ignored still, and one without a handler ends the program")
{
    set(SIG_IGN);
    first_owner.take(SIGUSR1, ours_first);
    ::raise(SIGUSR1);
    first_owner.give_back();
    CHECK(is_in_place(SIG_IGN));
    set(SIG_DFL);
}

namespace {

constexpr std::size_t count_bytes = 8;
unsigned char told_bytes[count_bytes];
sigjmp_buf way_out;

[[nodiscard]] unsigned char* count_of(siginfo_t& info)
{
    return reinterpret_cast<unsigned char*>(&info) + sizeof info - count_bytes;
}
extern "C" void looks_at_count(int, siginfo_t* info, void*)
{
    std::memcpy(told_bytes, count_of(*info), count_bytes);
}
extern "C" void leaves(int, siginfo_t*, void*) { siglongjmp(way_out, 1); }

} // namespace

TEST_CASE("the count of a signal is seen by the former handler alone")
{
    siginfo_t info{};
    unsigned char const nothing[count_bytes] = {};
    for (auto const former : {looks_at_count, leaves}) {
        taken_handler owner;
        struct sigaction const theirs = action_of(former);
        ::sigaction(SIGUSR1, &theirs, nullptr);
        owner.take(SIGUSR1, ours_first);
        if (sigsetjmp(way_out, 1) == 0) {
            owner.pass_on(SIGUSR1, &info, nullptr);
            CHECK(std::memcmp(told_bytes, nothing, count_bytes) != 0);
            CHECK(std::memcmp(count_of(info), nothing, count_bytes) == 0);
        }
        owner.give_back();
    }
    set(SIG_DFL);
}

TEST_CASE("where no function is to be called, a signal needs no information")
{
    set(SIG_IGN);
    taken_handler owner;
    owner.take(SIGUSR1, ours_first);
    owner.pass_on(SIGUSR1, nullptr, nullptr);
    owner.give_back();
    CHECK(is_in_place(SIG_IGN));
    set(SIG_DFL);
}

using attune::detail::is_in_signal_handler;

namespace {

std::atomic<int> seen{-1};
void look(int) { seen = is_in_signal_handler() ? 1 : 0; }

} // namespace

TEST_CASE("a signal handler is seen from within, also where the program blocks signals itself")
{
    struct sigaction ours{};
    struct sigaction before{};
    ours.sa_handler = look;
    REQUIRE(::sigaction(SIGUSR2, &ours, &before) == 0);
    CHECK(!is_in_signal_handler());
    static_cast<void>(std::raise(SIGUSR2));
    CHECK(seen == 1);
    sigset_t other;
    sigset_t usual;
    sigemptyset(&other);
    sigaddset(&other, SIGWINCH);
    REQUIRE(::pthread_sigmask(SIG_BLOCK, &other, &usual) == 0);
    CHECK(!is_in_signal_handler());
    seen = -1;
    static_cast<void>(std::raise(SIGUSR2));
    CHECK(seen == 1);
    CHECK(!is_in_signal_handler());
    ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
    ::sigaction(SIGUSR2, &before, nullptr);
}
