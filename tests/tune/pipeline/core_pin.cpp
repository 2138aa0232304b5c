// tests/tune/pipeline/core_pin.cpp - one core for the thread that measures, the others for the rest.
// SPDX-License-Identifier: MIT
#include <attune/tune/pipeline/core_pin.hpp>

#include <algorithm>
#include <atomic>
#include <doctest/doctest.h>
#include <thread>
#include <vector>

#include "../../support/one_processor.hpp"

using attune::detail::allowed_cores;
using attune::detail::allowed_processors;
using attune::detail::processors_of;
using attune_test::one_processor;
using processors = std::vector<int>;

TEST_CASE("sets of processors are read the way Linux writes them")
{
    CHECK(processors_of("0") == processors{0});
    CHECK(processors_of("0-3") == processors{0, 1, 2, 3});
    CHECK(processors_of("0-1,8,10-11\n") == processors{0, 1, 8, 10, 11});
    CHECK(processors_of("").empty());
    CHECK(processors_of("\n").empty());
    CHECK(processors_of("3,x") == processors{3});
    CHECK(processors_of("2-").empty());
}

TEST_CASE("there are no more cores than processors, and at least one")
{
    processors const allowed = allowed_processors();
    CHECK(!allowed.empty());
    CHECK(std::is_sorted(allowed.begin(), allowed.end()));
    CHECK(allowed_cores() >= 1);
    CHECK(allowed_cores() <= allowed.size());
}

TEST_CASE("a thread with one processor holds nothing and changes nothing")
{
    processors const before = allowed_processors();
    {
        one_processor const confined;
        CHECK(allowed_cores() == 1);
        attune::detail::core_pin core;
        CHECK(!core.hold());
        CHECK(!core.is_held());
        CHECK(core.other_processors() == 0);
        CHECK(!core.move_off());
        CHECK(allowed_processors().size() == 1);
    }
    CHECK(allowed_processors() == before);
}

TEST_CASE("the holder stays on one processor, others leave that one, and release undoes it")
{
    processors const before = allowed_processors();
    if (before.size() < 2) {
        MESSAGE("skipped: this process may use one processor only");
        return;
    }
    {
        attune::detail::core_pin core;
        REQUIRE(core.hold());
        CHECK(core.hold()); // again: nothing new
        processors const held = allowed_processors();
        REQUIRE(held.size() == 1);
        processors of_other;
        bool left = false;
        std::thread([&] {
            left = core.move_off();
            of_other = allowed_processors();
        }).join();
        CHECK(left);
        CHECK(!of_other.empty());
        CHECK(core.other_processors() == of_other.size());
        CHECK(std::find(of_other.begin(), of_other.end(), held.front()) == of_other.end());
        CHECK(std::includes(before.begin(), before.end(), of_other.begin(), of_other.end()));
        core.release();
        CHECK(allowed_processors() == before);
        CHECK(core.hold()); // it can be held again
    }
    CHECK(allowed_processors() == before); // the destructor releases
}

TEST_CASE("threads that the holder starts are bound to the core until it is released, not for good")
{
    processors const before = allowed_processors();
    if (before.size() < 2) {
        MESSAGE("skipped: this process may use one processor only");
        return;
    }
    std::atomic<int> step{0};
    processors while_held;
    processors afterwards;
    processors own_wish;
    auto const wait_for = [&](int wanted) {
        while (step < wanted)
            std::this_thread::yield();
    };
    attune::detail::core_pin core;
    std::thread bound_itself([&] { // by its own wish, before: it stays so
        attune_test::run_on({before.front()});
        ++step;
        wait_for(3);
        own_wish = allowed_processors();
    });
    wait_for(1);
    attune_test::run_on({before.front()}); // so that this is the core that is held
    attune_test::run_on(before);
    REQUIRE(core.hold());
    std::thread pool([&] { // of a library under a kernel
        while_held = allowed_processors();
        ++step;
        wait_for(3);
        afterwards = allowed_processors();
    });
    wait_for(2);
    core.release();
    ++step;
    pool.join();
    bound_itself.join();
    CHECK(while_held.size() == 1);
    CHECK(afterwards == before);
    CHECK(own_wish == processors{before.front()});
    CHECK(allowed_processors() == before);
}
