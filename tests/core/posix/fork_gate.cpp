// tests/core/posix/fork_gate.cpp - locks that other threads hold when a program forks.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/fork_gate.hpp>

#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/detail/loaded_objects.hpp>
#include <attune/core/posix/program_end.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <doctest/doctest.h>
#include <functional>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

using attune::detail::fork_safe_mutex;
using attune::detail::forks_amid_work;
using attune::detail::own_fork;

namespace {

/// Exit status of a child that runs `f`; -1 when it had to be killed by its alarm.
int in_fork(std::function<int()> const& f)
{
    pid_t const id = ::fork();
    if (id == 0) {
        ::alarm(5);
        ::_exit(f());
    }
    int status = 0;
    ::waitpid(id, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Whether each of so many children ends with 7 while another thread does `work` again and again.
bool all_end_with_7(int children, std::function<void()> const& work, std::function<int()> const& f)
{
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        while (!is_over)
            work();
    });
    bool is_right = true;
    for (int i = 0; i < children && is_right; ++i)
        is_right = in_fork(f) == 7;
    is_over = true;
    other.join();
    return is_right;
}

/// Another thread that does something until the end.
class beside {
public:
    explicit beside(std::function<void(std::function<void()>)> const& f)
        : thread_([this, f] {
            f([this] {
                has_begun_ = true;
                while (!is_over_)
                    std::this_thread::yield();
            });
        })
    {
        while (!has_begun_)
            std::this_thread::yield();
    }
    ~beside()
    {
        is_over_ = true;
        thread_.join();
    }

private:
    std::atomic<bool> has_begun_{false};
    std::atomic<bool> is_over_{false};
    std::thread thread_;
};

} // namespace

TEST_CASE(
    "a mutex that another thread held at the fork is free in the child, and held in the parent")
{
    fork_safe_mutex mutex;
    beside const other([&](std::function<void()> const& wait) {
        std::scoped_lock const held(mutex);
        wait();
    });
    CHECK(in_fork([&] {
              mutex.lock();
              bool const mine = mutex.is_mine();
              mutex.unlock();
              return mine ? 7 : 8;
          }) == 7);
    CHECK(!mutex.try_lock());
    CHECK(!mutex.is_mine());
}

TEST_CASE("a mutex is free in the child, wherever in lock() and unlock() another thread was")
{
    fork_safe_mutex mutex;
    CHECK(all_end_with_7(
        400, [&] { std::scoped_lock const held(mutex); },
        [&] {
            mutex.lock();
            mutex.unlock();
            return 7;
        }));
}

TEST_CASE("the environment can be read in the child, while another thread copies it")
{
    REQUIRE(
        !attune::detail::environment_variable("PATH").empty()); // the first call makes the mutex
    CHECK(all_end_with_7(
        200, [] { static_cast<void>(attune::detail::environment_snapshot{}); },
        [] { return attune::detail::environment_variable("PATH").empty() ? 8 : 7; }));
}

TEST_CASE("a mutex that the forking thread holds stays its own")
{
    fork_safe_mutex mutex;
    std::scoped_lock const held(mutex);
    CHECK(mutex.is_mine());
    CHECK(in_fork([&] { return mutex.is_mine() ? 7 : 8; }) == 7);
}

TEST_CASE("a mutex that is gone is not touched by a fork")
{
    {
        fork_safe_mutex a;
        fork_safe_mutex b;
    }
    fork_safe_mutex c;
    CHECK(in_fork([] { return 7; }) == 7);
}

TEST_CASE("only a fork beside work counts as one amid it, in the child")
{
    unsigned const before = forks_amid_work();
    CHECK(in_fork([&] { return forks_amid_work() == before ? 7 : 8; }) == 7);
    {
        attune::detail::work_in_progress const mine; // the child goes on with that
        CHECK(in_fork([&] { return forks_amid_work() == before ? 7 : 8; }) == 7);
    }
    beside const other([](std::function<void()> const& wait) {
        attune::detail::work_in_progress const work;
        wait();
    });
    CHECK(attune::detail::others_at_work() == 1);
    CHECK(in_fork([&] {
              bool const counted = forks_amid_work() == before + 1;
              return counted && attune::detail::others_at_work() == 0 ? 7 : 8;
          }) == 7);
    CHECK(forks_amid_work() == before);
}

TEST_CASE("no fork of the program comes between an own fork's before and after")
{
    std::atomic<bool> is_open{false};
    std::atomic<bool> is_over{false};
    std::atomic<int> seen_open{0};
    std::atomic<int> forked{0};
    std::thread host([&] {
        while (!is_over) {
            if (in_fork([&] { return is_open ? 9 : 7; }) == 9) ++seen_open;
            ++forked;
        }
    });
    for (int i = 0; i < 50 || forked < 20; ++i) {
        own_fork const scope{[&] {
                                 is_open = true;
                                 ::usleep(500);
                             },
                             [&] {
                                 ::usleep(500);
                                 is_open = false;
                             }};
        pid_t const id = ::fork();
        if (id == 0) ::_exit(0);
        ::waitpid(id, nullptr, 0);
    }
    is_over = true;
    host.join();
    CHECK(forked >= 20);
    CHECK(seen_open == 0);
}

TEST_CASE("a fork waits for the part that was added as the twentieth")
{
    static std::array<std::atomic<int>, 20> locked{};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (attune::detail::add_fork_part({.lock = [] { ++locked[I]; },
                                        .unlock = [] { --locked[I]; },
                                        .in_child = [] { locked[I] += 10; }}),
         ...);
    }(std::make_index_sequence<20>{});
    CHECK(in_fork([&] {
              return std::all_of(locked.begin(), locked.end(), [](auto& n) { return n == 10; }) ? 7
                                                                                                : 8;
          }) == 7);
    CHECK(std::all_of(locked.begin(), locked.end(), [](auto& n) { return n == 0; }));
}

TEST_CASE("a thread that locks its mutex again gets an error, not a deadlock")
{
    fork_safe_mutex mutex;
    std::scoped_lock const held(mutex);
    CHECK_THROWS_AS(mutex.lock(), attune::error);
    CHECK(mutex.is_mine());
}

TEST_CASE("a thread that waits for a mutex gets it once it is free, or gives up in time")
{
    fork_safe_mutex mutex;
    {
        beside const other([&](std::function<void()> const& wait) {
            std::scoped_lock const held(mutex);
            wait();
        });
        CHECK(!mutex.try_lock_for_ms(1));
    }
    std::atomic<bool> has_it{false};
    mutex.lock();
    std::thread other([&] {
        has_it = mutex.try_lock_for_ms(60'000);
        if (has_it) mutex.unlock();
    });
    ::usleep(5'000);
    mutex.unlock();
    other.join();
    CHECK(has_it);
}

TEST_CASE("what a brief mutex protects is whole in the child")
{
    fork_safe_mutex mutex{attune::detail::lock_use::brief};
    std::array<int, 64> data{};
    CHECK(all_end_with_7(
        200,
        [&] {
            std::scoped_lock const held(mutex);
            for (int& n : data)
                ++n;
        },
        [&] {
            std::scoped_lock const held(mutex);
            return data.front() == data.back() ? 7 : 8;
        }));
}

TEST_CASE("a fork waits for the end of work that a child could not mend, and has its own")
{
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_half_done{false};
    std::thread other([&] {
        attune::detail::fork_delay const whole;
        is_half_done = true;
        has_begun = true;
        ::usleep(50'000);
        is_half_done = false;
    });
    while (!has_begun)
        std::this_thread::yield();
    CHECK(in_fork([&] {
              attune::detail::fork_delay const mine;
              attune::detail::fork_delay const nested;
              return is_half_done ? 8 : in_fork([] { return 7; });
          }) == 7);
    other.join();
}

TEST_CASE("a mutex that is made while the program forks is usable in the child")
{
    CHECK(all_end_with_7(
        200,
        [] {
            fork_safe_mutex mutex;
            std::scoped_lock const held(mutex);
        },
        [] {
            fork_safe_mutex mine;
            std::scoped_lock const held(mine);
            return 7;
        }));
}

TEST_CASE("a child can walk over what is loaded, also where another thread was at it")
{
    auto const walk = [] { return attune::detail::any_loaded([](auto const&) { return false; }); };
    CHECK(all_end_with_7(300, [&] { static_cast<void>(walk()); }, [&] { return walk() ? 8 : 7; }));
}
