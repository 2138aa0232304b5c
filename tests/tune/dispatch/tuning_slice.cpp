// tests/tune/dispatch/tuning_slice.cpp - which of several tunings goes on, its costs, and jobs beside the program.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/tuning_slice.hpp>

#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/loop/run_state.hpp>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../../support/child_status.hpp"

using namespace attune::detail;
using attune::search_limits;

namespace {

constexpr search_limits sixty{.evaluations = 60, .seconds = 60};

using seconds = std::vector<double>;

/// So many equal ones.
seconds flat(std::size_t n, double s) { return seconds(n, s); }

std::vector<turn_policy> all_policies()
{
    return {most_gain(), most_gain(budget_unit::seconds), round_robin(), equal_split(1e9),
            gradient()};
}

} // namespace

TEST_CASE("the best after each outcome never rises, and failures count")
{
    auto const took = [](double s) { return known_outcome{{}, attune::measurement::exact(s), {}}; };
    known_outcome const failed{{}, attune::failure{attune::failure_stage::crash, "no"}, {}};
    CHECK(best_after({}).empty());
    CHECK(best_after(std::vector{took(4), failed, took(5), took(2)}) ==
          std::vector<double>{4, 4, 4, 2});
}

TEST_CASE("first slices come first, then the most seconds to save")
{
    seconds falling = flat(15, 1e-2);
    falling.back() = 0.9e-2;
    sliced_tuning const fresh{.calls = 3};
    sliced_tuning const fresh_called_more{.calls = 9};
    sliced_tuning const cheap{.evaluations = 15, .calls = 100, .best = flat(15, 1e-3)};
    sliced_tuning const dear{.evaluations = 15, .calls = 100, .best = flat(15, 1e-2)};
    sliced_tuning const rare{.evaluations = 15, .calls = 5, .best = flat(15, 1e-2)};
    sliced_tuning const moving{.evaluations = 15, .calls = 100, .best = falling};
    CHECK(next_in_turn(std::vector{dear, fresh, fresh_called_more}) == 2);
    CHECK(next_in_turn(std::vector{fresh, fresh}) == 0);
    CHECK(next_in_turn(std::vector{cheap, rare, moving, dear}) == 2);
    CHECK(next_in_turn(std::vector{cheap, rare, dear}) == 2);
    CHECK(next_in_turn(std::vector{rare, cheap}) == 1);
    CHECK(next_in_turn(std::vector{rare, rare}) == 0);
    CHECK(next_in_turn(std::vector{sliced_tuning{.evaluations = 15}}) == 0); // none that worked
    CHECK(last_in_turn(std::vector{dear, rare, cheap}) == 1);
    CHECK(last_in_turn(std::vector{rare, dear, moving}) == 0);
    CHECK(last_in_turn(std::vector{dear, rare, rare}) == 1);
    CHECK(last_in_turn(std::vector{fresh}) == 0);
}

TEST_CASE("slices: a quarter, then as much again, until the limits")
{
    sliced_tuning of;
    std::vector<std::uint64_t> had;
    for (int slices = 0; !has_all(of, sixty); ++slices) {
        REQUIRE(slices < 10);
        tuning_slice const next = next_slice(of, sixty, {}, 1);
        CHECK(next.seconds_before == of.spent_s);
        CHECK(next.seconds + of.spent_s <= 60);
        of.evaluations = next.evaluations;
        of.spent_s += 1;
        had.push_back(of.evaluations);
    }
    CHECK(had == std::vector<std::uint64_t>{15, 30, 60});
    CHECK(next_slice({}, {.evaluations = 5}, {}, 1).evaluations == 5);
    CHECK(next_slice({}, {.evaluations = 10}, {}, 1).evaluations == 10);
    CHECK(next_slice({}, {.seconds = 60}, {}, 1).seconds == 15);
    CHECK(next_slice({}, {}, {}, 1).evaluations < 100);
}

TEST_CASE("slices that are ended by the clock get all of it, and no more")
{
    sliced_tuning of;
    int slices = 0;
    while (!has_all(of, sixty)) {
        REQUIRE(++slices < 10);
        tuning_slice const next = next_slice(of, sixty, {}, 1);
        of.evaluations = static_cast<std::uint64_t>(slices); // few were tried
        of.spent_s += next.seconds;
    }
    CHECK(of.spent_s == doctest::Approx(60));
    CHECK(has_all({.evaluations = 20, .spent_s = 59}, sixty));
    CHECK(!has_all({.evaluations = 20, .spent_s = 59}, {.evaluations = 60}));
}

TEST_CASE("where the total would not last, first slices are shorter")
{
    auto const first = [](std::uint64_t left, std::size_t waiting) {
        return next_slice({}, sixty, {.evaluations = left}, waiting).evaluations;
    };
    CHECK(first(480, 1) == 15);
    CHECK(first(480, 32) == 15);
    CHECK(first(320, 32) == 10);
    CHECK(first(320, 1'000) == 4);
    CHECK(first(0, 0) > 0);
}

TEST_CASE("what is over or weighs nothing has no turn, by any policy")
{
    seconds const had = flat(10, 1.0);
    for (turn_policy const& next : all_policies()) {
        CHECK(!next({}));
        std::vector<turn_task> tasks{{.weight = 0, .best = had},
                                     {.best = had, .is_over = true},
                                     {.best = had},
                                     {.weight = 0}};
        CHECK(next(tasks) == 2);
        tasks[2].is_over = true;
        CHECK(!next(tasks));
    }
}

TEST_CASE("all begin first, the heaviest before the others, and have their minimum")
{
    seconds const one = flat(1, 1.0);
    seconds const three = flat(3, 1.0);
    seconds const four = flat(4, 100.0);
    turn_policy const next = most_gain(budget_unit::evaluations, 4);
    CHECK(next(std::vector<turn_task>{{.weight = 1}, {.weight = 3}, {.weight = 9, .best = one}}) ==
          1);
    CHECK(next(std::vector<turn_task>{{.weight = 1e9, .best = four},
                                      {.weight = 1e-9, .best = three},
                                      {.weight = 1e-9, .best = one}}) == 2);
    CHECK(next(std::vector<turn_task>{{.weight = 1e9, .best = four},
                                      {.weight = 1e-9, .best = three}}) == 1);
    CHECK(next(std::vector<turn_task>{{.weight = 1, .best = four}, {.weight = 2, .best = four}}) ==
          1);
}

TEST_CASE("the worth of an evaluation is in seconds of the whole")
{
    seconds const same = flat(20, 2.0);
    CHECK(worth_of_next({.best = same}) == doctest::Approx(2.0 * 0.2 / 20));
    CHECK(worth_of_next({.weight = 5, .best = same}) == doctest::Approx(5 * 2.0 * 0.2 / 20));
    CHECK(worth_of_next({.best = same, .expected_gain = 0.3}) == doctest::Approx(2.0 * 0.5 / 20));
    // Where a model may not exist yet, much may be gained.
    CHECK(worth_of_next({.best = flat(8, 2.0)}) == doctest::Approx(2.0 * 0.7 / 8));
    CHECK(worth_of_next({.best = flat(8, 2.0), .expected_gain = 0}) ==
          doctest::Approx(2.0 * 0.2 / 8));
    // Near the roofline little can be gained; one that is wrong starves no task.
    CHECK(worth_of_next({.best = same, .least_s = 1.5}) == doctest::Approx(0.5 * 0.2 / 20));
    CHECK(worth_of_next({.best = same, .least_s = 2.5}) == doctest::Approx(0.2 * 0.2 / 20));
    // The latest quarter counts, and gains before it do not.
    seconds const early{8, 8, 2, 2, 2, 2, 2, 2};
    seconds const late{8, 8, 8, 8, 8, 8, 4, 2};
    CHECK(worth_of_next({.best = early, .expected_gain = 0}) == doctest::Approx(2.0 * 0.2 / 8));
    CHECK(worth_of_next({.best = late, .expected_gain = 0}) ==
          doctest::Approx(2.0 * (0.2 / 8 + 0.3 * std::log(4.0) / 2)));
    CHECK(worth_of_next({.best = flat(1, 3.0)}) == doctest::Approx(3.0 * 0.7));
}

TEST_CASE("a heavy task without a model yet does not wait for a light one with a model")
{
    seconds const heavy = flat(6, 0.3);
    seconds const light = flat(12, 0.2);
    CHECK(most_gain(budget_unit::evaluations, 6)(
              std::vector<turn_task>{{.best = heavy}, {.best = light, .expected_gain = 0.4}}) == 0);
}

TEST_CASE("where time is spent, an evaluation is worth what it saves for its time")
{
    seconds const had = flat(10, 1.0);
    std::vector<turn_task> const tasks{{.weight = 3, .best = had, .spent_s = 50},
                                       {.weight = 1, .best = had, .spent_s = 1}};
    CHECK(most_gain()(tasks) == 0);
    CHECK(most_gain(budget_unit::seconds)(tasks) == 1);
}

TEST_CASE("round robin and the equal split count evaluations, the gradient is MetaSchedule's")
{
    seconds const two = flat(2, 1.0);
    seconds const five = flat(5, 1.0);
    CHECK(round_robin()(std::vector<turn_task>{{.best = five}, {.best = two}}) == 1);
    CHECK(round_robin()(std::vector<turn_task>{{.best = two}, {.best = two}}) == 0);
    CHECK(equal_split(5)(std::vector<turn_task>{{.best = five}, {.best = two}}) == 1);
    CHECK(!equal_split(2)(std::vector<turn_task>{{.best = five}, {.best = two}}));
    CHECK(equal_split(3, budget_unit::seconds)(std::vector<turn_task>{
              {.best = two, .spent_s = 4}, {.best = five, .spent_s = 2}}) == 1);
    // g1 = (4 - 1) / 3, g2 = 1 / 6: .2 + .1333; against 2 * .8 / 5 = .32 and 2.2 * .8 / 5 = .352.
    seconds const fell{4, 4, 4, 2, 2, 1};
    CHECK(gradient()(std::vector<turn_task>{{.weight = 2, .best = five}, {.best = fell}}) == 1);
    CHECK(gradient()(std::vector<turn_task>{{.weight = 2.2, .best = five}, {.best = fell}}) == 0);
}

TEST_CASE("jobs run in order, on one other thread, and wait() waits for all")
{
    background_worker worker;
    worker.wait();
    std::vector<int> done;
    std::vector<std::thread::id> where;
    for (int i = 0; i < 100; ++i)
        worker.add([&, i] {
            done.push_back(i);
            where.push_back(std::this_thread::get_id());
        });
    worker.wait();
    REQUIRE(done.size() == 100);
    for (int i = 0; i < 100; ++i)
        CHECK(done[static_cast<std::size_t>(i)] == i);
    CHECK(where.front() == where.back());
    CHECK(where.front() != std::this_thread::get_id());
}

TEST_CASE("the destructor asks the job at work to stop and drops those that wait")
{
    std::atomic<bool> began{false};
    std::atomic<bool> stopped{false};
    std::atomic<bool> dropped{true};
    {
        background_worker worker;
        worker.add([&] {
            began = true;
            while (!stop_is_requested())
                std::this_thread::yield();
            stopped = true;
        });
        worker.add([&] { dropped = false; });
        while (!began)
            std::this_thread::yield();
    }
    CHECK(stopped);
    CHECK(dropped);
    CHECK(!stop_is_requested());
}

TEST_CASE("Ctrl-C is not for the jobs")
{
    struct sigaction before{};
    REQUIRE(::sigaction(SIGINT, nullptr, &before) == 0);
    bool heard = true;
    bool is_taken = true;
    background_worker worker;
    worker.add([&] {
        interrupt_guard const guard;
        struct sigaction now{};
        is_taken = ::sigaction(SIGINT, nullptr, &now) != 0 || now.sa_handler != before.sa_handler;
        request_stop(true);
        heard = guard.requested();
        request_stop(false);
    });
    worker.wait();
    CHECK(!heard);
    CHECK(!is_taken);
}

TEST_CASE("a child of a fork begins without jobs, and can have its own")
{
    std::atomic<bool> began{false};
    std::atomic<bool> ends{false};
    background_worker worker;
    worker.add([&] {
        began = true;
        while (!ends)
            std::this_thread::yield();
    });
    while (!began)
        std::this_thread::yield();
    CHECK(attune_test::child_status([&] {
              ::alarm(20); // where it hangs, it is ended
              worker.wait();
              bool ran = false;
              worker.add([&] { ran = true; });
              worker.wait();
              return ran ? 0 : 1;
          }) == 0);
    ends = true;
    worker.wait();
}

TEST_CASE("a worker is another thread of the program while it has a job, and not after that")
{
    bool const has_others = has_other_threads(); // a sanitizer's
    bool was_seen = false;
    background_worker worker;
    worker.add([&] { was_seen = has_other_threads(); });
    worker.wait();
    CHECK(was_seen);
    CHECK(has_other_threads() == has_others);
}
