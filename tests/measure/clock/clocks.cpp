// tests/measure/clock/clocks.cpp : mirrors include/attune/measure/clock/clocks.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/clocks.hpp>

#include <atomic>
#include <ctime>
#include <doctest/doctest.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>

#include "../scripted_clocks.hpp"

using attune::clock_choice;
using attune::detail::run_profile;
using attune::detail::stopwatch;
using attune::detail::suitable_clock;
using attune_test::scripted_clocks;

TEST_CASE("the clocks of the machine model time_source and never run backwards")
{
    static_assert(attune::time_source<attune::system_clocks>);
    attune::system_clocks clocks;
    double wall = clocks.wall_s();
    double thread = clocks.thread_cpu_s();
    double process = clocks.process_cpu_s();
    for (int i = 0; i < 1000; ++i) {
        double const next_wall = clocks.wall_s();
        double const next_thread = clocks.thread_cpu_s();
        double const next_process = clocks.process_cpu_s();
        REQUIRE(next_wall >= wall);
        REQUIRE(next_thread >= thread);
        REQUIRE(next_process >= process);
        wall = next_wall;
        thread = next_thread;
        process = next_process;
    }
    CHECK(clocks.waits() >= 0);
}

TEST_CASE("the clock of the process sees what other threads are doing at this moment")
{
    attune::system_clocks clocks;
    std::atomic<bool> is_over{false};
    std::thread helper([&] {
        while (!is_over) {
        }
    });
    clockid_t of_helper{};
    REQUIRE(pthread_getcpuclockid(helper.native_handle(), &of_helper) == 0);
    int up_to_date = 0;
    for (int i = 0; i < 100; ++i) {
        double const end_s = clocks.wall_s() + 0.5e-3;
        while (clocks.wall_s() < end_s) {
        }
        double const process_s = clocks.process_cpu_s();
        timespec helper_now{};
        clock_gettime(of_helper, &helper_now);
        double const both_s = clocks.thread_cpu_s() + static_cast<double>(helper_now.tv_sec) +
                              1e-9 * static_cast<double>(helper_now.tv_nsec);
        up_to_date += process_s > both_s - 0.1e-3 ? 1 : 0; // unless interrupted here
    }
    is_over = true;
    helper.join();
    CHECK(up_to_date >= 90);
}

TEST_CASE("a run of one busy thread is timed by its CPU time")
{
    CHECK(suitable_clock(run_profile{1e-3, 1e-3, 1e-3, 0}) == clock_choice::thread_cpu);
    // Preempted: much wall time, but the thread never gave its CPU up.
    CHECK(suitable_clock(run_profile{9e-3, 1e-3, 1e-3, 0}) == clock_choice::thread_cpu);
    // One short wait, by a page fault.
    CHECK(suitable_clock(run_profile{1.2e-3, 1e-3, 1e-3, 1}) == clock_choice::thread_cpu);
}

TEST_CASE("several threads, a wait, or a very short run are timed by the wall clock")
{
    CHECK(suitable_clock(run_profile{1e-3, 1e-3, 2e-3, 0}) == clock_choice::wall);
    CHECK(suitable_clock(run_profile{1e-3, 2e-4, 2e-4, 1}) == clock_choice::wall);
    CHECK(suitable_clock(run_profile{4e-5, 4e-5, 4e-5, 0}) == clock_choice::wall);
    // A device that works while the thread sleeps.
    CHECK(suitable_clock(run_profile{1e-1, 1e-5, 1e-5, 3}) == clock_choice::wall);
}

TEST_CASE("a run kept as many threads busy as their CPU time and the caller's say")
{
    using attune::detail::threads_of; // wall, thread, process, waits
    CHECK(threads_of(run_profile{1e-3, 1e-3, 1e-3, 0}) == 1);
    CHECK(threads_of(run_profile{1e-3, 1e-3, 1.04e-3, 0}) == 1); // the error of the readings
    CHECK(threads_of(run_profile{1e-3, 1e-3, 1.3e-3, 0}) == 1);  // a helper that did little
    CHECK(threads_of(run_profile{1e-3, 1e-3, 1.9e-3, 0}) == 2);
    CHECK(threads_of(run_profile{1e-3, 1e-3, 16e-3, 3}) == 16);
    // Four on a busy machine: the wall time says nothing.
    CHECK(threads_of(run_profile{9e-3, 1e-3, 4e-3, 0}) == 4);
    // The caller sleeps while three others work.
    CHECK(threads_of(run_profile{1e-3, 1e-5, 3e-3, 1}) == 3);
    CHECK(threads_of(run_profile{1e-3, 1e-9, 3e-3, 0}, 8) == 8);
}

TEST_CASE("a clock has a name")
{
    CHECK(std::string(attune::detail::name_of(clock_choice::thread_cpu)) == "thread_cpu");
    CHECK(std::string(attune::detail::name_of(clock_choice::wall)) == "wall");
    CHECK(std::string(attune::detail::name_of(clock_choice::automatic)) == "wall");
}

TEST_CASE("a profile tells what each clock saw")
{
    scripted_clocks clocks;
    run_profile const seen = attune::detail::profile(clocks, [&] {
        clocks.wall += 5;
        clocks.thread += 2;
        clocks.process += 3;
        clocks.given_up += 4;
    });
    CHECK(seen.wall_s == doctest::Approx(5));
    CHECK(seen.thread_cpu_s == doctest::Approx(2));
    CHECK(seen.process_cpu_s == doctest::Approx(3));
    CHECK(seen.waits == 4);
    CHECK(seen.by(clock_choice::wall) == seen.wall_s);
    CHECK(seen.by(clock_choice::thread_cpu) == seen.thread_cpu_s);
}

TEST_CASE("a stopwatch takes off what reading its clock costs")
{
    scripted_clocks clocks;
    clocks.cost_of_wall = 0.25;
    clocks.cost_of_thread = 0.5;
    stopwatch by_wall(clocks, clock_choice::wall);
    stopwatch by_thread(clocks, clock_choice::thread_cpu);
    CHECK(by_wall.time([&] { clocks.pass(2); }) == doctest::Approx(2));
    CHECK(by_thread.time([&] { clocks.pass(2); }) == doctest::Approx(2));
}

TEST_CASE("a stopwatch takes off what runs are wrapped in, one or several in a row")
{
    scripted_clocks clocks;
    clocks.cost_of_wall = 0.25;
    clocks.cost_of_thread = 0.5;
    std::function<void()> const idle = [&] { clocks.pass(0.125); };
    auto const run = [&] {
        idle();
        clocks.pass(2);
    };
    stopwatch by_wall(clocks, clock_choice::wall, idle);
    CHECK(by_wall.time(run) == doctest::Approx(2));
    CHECK(by_wall.time(run, 1) == doctest::Approx(2));
    CHECK(by_wall.time(run, 8) == doctest::Approx(2));
    CHECK(by_wall.cost_s() == doctest::Approx(0.25)); // of the clock alone
    CHECK(by_wall.time(idle, 8) == attune::detail::shortest_time_s);
    stopwatch bare(clocks, clock_choice::wall);
    CHECK(bare.time(run, 8) == doctest::Approx(2.125));
}

TEST_CASE("a stopwatch reads the clock it was given")
{
    scripted_clocks clocks;
    stopwatch by_wall(clocks, clock_choice::wall);
    stopwatch by_thread(clocks, clock_choice::thread_cpu);
    auto const run = [&] {
        clocks.wall += 3;
        clocks.thread += 1;
    };
    CHECK(by_wall.time(run) == doctest::Approx(3));
    CHECK(by_thread.time(run) == doctest::Approx(1));
}

TEST_CASE("no time is shorter than a tick, so that it has a logarithm")
{
    scripted_clocks clocks;
    clocks.cost_of_wall = 0.25;
    stopwatch watch(clocks, clock_choice::wall);
    CHECK(watch.time([&] { clocks.wall -= 0.1; }) == attune::detail::shortest_time_s);
    CHECK(watch.time([] {}) == attune::detail::shortest_time_s);
}

TEST_CASE("what a run throws passes through the stopwatch")
{
    scripted_clocks clocks;
    stopwatch watch(clocks, clock_choice::wall);
    CHECK_THROWS_AS(static_cast<void>(watch.time([] { throw std::logic_error("run"); })),
                    std::logic_error);
}

TEST_CASE("a budget is up as soon as another round like the last would pass it")
{
    scripted_clocks clocks;
    attune::detail::time_budget budget(clocks, 10);
    clocks.pass(3);
    CHECK_FALSE(budget.is_up()); // 3 + 3
    clocks.pass(1);
    CHECK_FALSE(budget.is_up()); // 4 + 1
    clocks.pass(3);
    CHECK_FALSE(budget.is_up()); // 7 + 3, exactly the budget
    clocks.pass(2);
    CHECK(budget.is_up()); // 9 + 2
}
