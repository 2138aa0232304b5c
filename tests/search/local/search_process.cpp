// tests/search/local/search_process.cpp : mirrors include/attune/search/local/search_process.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/local/search_process.hpp>

#include <doctest/doctest.h>
#include <memory>
#include <stdexcept>
#include <utility>

using attune::search_process;

namespace {

search_process count_to(int& counter, int end)
{
    while (counter < end) {
        ++counter;
        co_await std::suspend_always{};
    }
}

search_process hold(std::shared_ptr<int> held)
{
    for (;;) {
        ++*held;
        co_await std::suspend_always{};
    }
}

search_process fail()
{
    co_await std::suspend_always{};
    throw std::runtime_error("broken");
}

} // namespace

TEST_CASE("a process runs from one suspension to the next, and does nothing before")
{
    int counter = 0;
    search_process p = count_to(counter, 2);
    CHECK(counter == 0);
    p.resume();
    CHECK(counter == 1);
    search_process q = std::move(p);
    CHECK(p.is_done()); // NOLINT: what is left after a move
    q.resume();
    CHECK(counter == 2);
    CHECK_FALSE(q.is_done());
    q.resume();
    CHECK(q.is_done());
}

TEST_CASE("a process that never ends gives back what it holds when it is destroyed")
{
    auto const held = std::make_shared<int>(0);
    {
        search_process p = hold(held);
        p.resume();
        p.resume();
        CHECK(*held == 2);
        CHECK(held.use_count() == 2);
        int counter = 0;
        p = count_to(counter, 1);
    }
    CHECK(held.use_count() == 1);
}

TEST_CASE("what the body throws reaches the caller, once")
{
    search_process p = fail();
    p.resume();
    CHECK_THROWS_WITH(p.resume(), "broken");
    CHECK(p.is_done());
}
