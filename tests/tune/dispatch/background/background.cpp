// tests/tune/dispatch/background/background.cpp - jobs beside the program.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/background/background.hpp>

#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/loop/interrupt.hpp>

#include <atomic>
#include <csignal>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using attune::detail::background_worker;

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
            while (!attune::detail::stop_is_requested())
                std::this_thread::yield();
            stopped = true;
        });
        worker.add([&] { dropped = false; });
        while (!began)
            std::this_thread::yield();
    }
    CHECK(stopped);
    CHECK(dropped);
    CHECK(!attune::detail::stop_is_requested());
}

TEST_CASE("Ctrl-C is not for the jobs")
{
    struct sigaction before{};
    REQUIRE(::sigaction(SIGINT, nullptr, &before) == 0);
    bool heard = true;
    bool is_taken = true;
    background_worker worker;
    worker.add([&] {
        attune::detail::interrupt_guard const guard;
        struct sigaction now{};
        is_taken = ::sigaction(SIGINT, nullptr, &now) != 0 || now.sa_handler != before.sa_handler;
        attune::detail::request_stop(true);
        heard = guard.requested();
        attune::detail::request_stop(false);
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
    pid_t const child = ::fork();
    if (child == 0) {
        ::alarm(20); // where it hangs, it is ended
        worker.wait();
        bool ran = false;
        worker.add([&] { ran = true; });
        worker.wait();
        ::_exit(ran ? 0 : 1);
    }
    int status = -1;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    ends = true;
    worker.wait();
}

TEST_CASE("a worker is another thread of the program while it has a job, and not after that")
{
    bool const has_others = attune::detail::has_other_threads(); // a sanitizer's
    bool was_seen = false;
    background_worker worker;
    worker.add([&] { was_seen = attune::detail::has_other_threads(); });
    worker.wait();
    CHECK(was_seen);
    CHECK(attune::detail::has_other_threads() == has_others);
}
