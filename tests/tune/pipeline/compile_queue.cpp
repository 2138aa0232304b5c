// tests/tune/pipeline/compile_queue.cpp - compilations in a line, and threads that work it off.
// SPDX-License-Identifier: MIT
#include <attune/tune/pipeline/compile_queue.hpp>

#include <attune/measure/clock/clocks.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <doctest/doctest.h>
#include <latch>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "../../support/one_processor.hpp"
#include "../../support/scripted_grid.hpp"

using attune::callable;
using attune::compile_result;
using attune::detail::compile_queue;
using attune_test::has_workers;

namespace {

compile_result named(std::string key) { return callable{nullptr, nullptr, std::move(key), 0, ""}; }

std::string key_of(compile_result const& result)
{
    auto const* const code = std::get_if<callable>(&result);
    return code != nullptr ? code->object_key : "failure";
}

} // namespace

TEST_CASE("without workers, what is wanted is compiled by the thread that takes it, and only that")
{
    compile_queue line{0};
    CHECK(line.start() == 0);
    std::thread::id by{};
    bool other = false;
    auto const wanted = line.add([&] {
        by = std::this_thread::get_id();
        return named("a");
    });
    auto const unwanted = line.add([&] {
        other = true;
        return named("b");
    });
    CHECK(key_of(line.take(wanted)) == "a");
    CHECK(by == std::this_thread::get_id());
    line.settle();
    CHECK(!other);
    CHECK(line.cpu_s() == 0);
}

TEST_CASE("with one processor no worker is started, and everything still gets its turn")
{
    attune_test::one_processor const confined;
    compile_queue line{4};
    CHECK(line.start() == 0);
    std::vector<compile_queue::ticket> tickets;
    for (char name = 'a'; name < 'f'; ++name)
        tickets.push_back(line.add([=] { return named({name}); }));
    for (char name = 'a'; name < 'f'; ++name)
        CHECK(key_of(line.take(tickets[static_cast<std::size_t>(name - 'a')])) ==
              std::string{name});
}

TEST_CASE("a worker begins before anybody takes, off the core of the thread that started it")
{
    if (!has_workers()) return;
    compile_queue line{1};
    REQUIRE(line.start() == 1);
    std::latch begun{1};
    std::vector<int> its_processors;
    sigset_t blocked;
    int its_niceness = 0;
    int const niceness = ::getpriority(PRIO_PROCESS, 0);
    auto const ticket = line.add([&] {
        its_niceness = ::getpriority(PRIO_PROCESS, 0); // on Linux, of the calling thread
        its_processors = attune::detail::allowed_processors();
        pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        begun.count_down();
        return named("a");
    });
    begun.wait();
    std::vector<int> const held = attune::detail::allowed_processors();
    CHECK(held.size() == 1);
    CHECK(key_of(line.take(ticket)) == "a");
    CHECK(!its_processors.empty());
    CHECK(std::find(its_processors.begin(), its_processors.end(), held.front()) ==
          its_processors.end());
    CHECK(its_niceness == std::min(niceness + 5, 19)); // it gives way to the program's threads
    CHECK(::getpriority(PRIO_PROCESS, 0) == niceness);
    // The program's signal handlers do not run on a worker; its own faults are not held back.
    CHECK(sigismember(&blocked, SIGINT) == 1);
    CHECK(sigismember(&blocked, SIGALRM) == 1);
    CHECK(sigismember(&blocked, SIGSEGV) == 0);
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    CHECK(sigismember(&blocked, SIGINT) == 0); // the starting thread's mask is as it was
}

TEST_CASE("one worker begins first what came first")
{
    if (!has_workers()) return;
    compile_queue line{1};
    std::vector<int> order;
    std::vector<compile_queue::ticket> tickets;
    std::latch all{20};
    for (int i = 0; i < 20; ++i)
        tickets.push_back(line.add([&, i] {
            order.push_back(i);
            all.count_down();
            return named(std::to_string(i));
        }));
    REQUIRE(line.start() == 1);
    all.wait();
    for (std::size_t i = tickets.size(); i-- > 0;) // taken in any order
        CHECK(key_of(line.take(tickets[i])) == std::to_string(i));
    CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("what a worker threw is thrown by take, and the line goes on")
{
    if (!has_workers()) return;
    compile_queue line{1};
    REQUIRE(line.start() == 1);
    std::latch begun{1};
    auto const bad = line.add([&]() -> compile_result {
        begun.count_down();
        throw std::runtime_error("no compiler at all");
    });
    auto const good = line.add([] { return named("good"); });
    begun.wait();
    CHECK_THROWS_WITH_AS((void)line.take(bad), "no compiler at all", std::runtime_error);
    CHECK(key_of(line.take(good)) == "good");
}

TEST_CASE("what was dropped before it began never begins; what has begun is waited for")
{
    if (!has_workers()) return;
    std::atomic<int> ended = 0;
    {
        compile_queue line{1};
        REQUIRE(line.start() == 1);
        std::latch begun{1};
        std::latch may_end{1};
        auto const running = line.add([&] {
            begun.count_down();
            may_end.wait();
            ++ended;
            return named("a");
        });
        begun.wait(); // the worker is busy, so the next ones wait
        auto const second = line.add([&] {
            ended += 10;
            return named("b");
        });
        auto const third = line.add([&] {
            ended += 100;
            return named("c");
        });
        line.drop(second);
        line.drop(running); // too late: it runs to its end, and nobody takes it
        may_end.count_down();
        CHECK(key_of(line.take(third)) == "c");
        line.settle();
        CHECK(ended == 101);
    }
    CHECK(ended == 101);
}

TEST_CASE("after settling the thread has its processors back, and the line can be started again")
{
    if (!has_workers()) return;
    std::vector<int> const before = attune::detail::allowed_processors();
    compile_queue line{2};
    for (int round = 0; round < 3; ++round) {
        std::size_t const workers = line.start();
        CHECK(workers == std::min<std::size_t>(2, before.size() - 1));
        CHECK(line.start() == workers); // as it is
        CHECK(attune::detail::allowed_processors().size() == 1);
        CHECK(key_of(line.take(line.add([] { return named("a"); }))) == "a");
        line.settle();
        CHECK(attune::detail::allowed_processors() == before);
    }
    line.settle(); // nothing to do
    CHECK(attune::detail::allowed_processors() == before);
}

TEST_CASE("who has to wait for a worker does what comes next meanwhile")
{
    if (!has_workers()) return;
    compile_queue line{1};
    REQUIRE(line.start() == 1);
    std::latch begun{1};
    std::latch next_done{1};
    auto const first = line.add([&] {
        begun.count_down();
        next_done.wait(); // it cannot end before the other one has
        return named("a");
    });
    begun.wait();
    std::thread::id by{};
    auto const second = line.add([&] {
        by = std::this_thread::get_id();
        next_done.count_down();
        return named("b");
    });
    CHECK(key_of(line.take(first)) == "a");
    CHECK(by == std::this_thread::get_id());
    CHECK(key_of(line.take(second)) == "b");
}

TEST_CASE("the processor time of the workers is counted, also after their end")
{
    if (!has_workers()) return;
    compile_queue line{1};
    REQUIRE(line.start() == 1);
    std::latch begun{1};
    auto const ticket = line.add([&] {
        begun.count_down();
        attune::system_clocks const clocks;
        while (clocks.thread_cpu_s() < 0.01)
            ;
        return named("a");
    });
    begun.wait(); // so that take() does not compile it
    (void)line.take(ticket);
    double const running = line.cpu_s();
    CHECK(running >= 0.01);
    line.settle();
    CHECK(line.cpu_s() >= running);
    CHECK(line.cpu_s() <= attune::system_clocks{}.process_cpu_s());
}

TEST_CASE("a run beside a busy worker is still seen as the work of one thread")
{
    if (!has_workers()) return;
    compile_queue line{1};
    REQUIRE(line.start() == 1);
    std::latch begun{1};
    std::atomic<bool> stop = false;
    auto const busy = line.add([&] {
        begun.count_down();
        while (!stop)
            ;
        return named("a");
    });
    begun.wait();
    attune::system_clocks clocks{[&] { return line.cpu_s(); }};
    auto const seen = attune::detail::profile(clocks, [&] {
        double const end_s = clocks.thread_cpu_s() + 0.02;
        while (clocks.thread_cpu_s() < end_s)
            ;
    });
    stop = true;
    (void)line.take(busy);
    CHECK(attune::detail::suitable_clock(seen) == attune::clock_choice::thread_cpu);
}

TEST_CASE("many tasks and workers: each result is that of its own task")
{
    compile_queue line{3};
    std::vector<compile_queue::ticket> tickets;
    for (int i = 0; i < 300; ++i) {
        tickets.push_back(line.add([i] { return named(std::to_string(i)); }));
        if (i == 10) (void)line.start();
    }
    for (std::size_t i = 0; i < tickets.size(); ++i) {
        if (i % 7 == 3)
            line.drop(tickets[i]);
        else
            REQUIRE(key_of(line.take(tickets[i])) == std::to_string(i));
    }
}
