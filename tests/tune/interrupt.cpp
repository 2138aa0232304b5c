// tests/tune/interrupt.cpp - Ctrl-C while a loop runs.
// SPDX-License-Identifier: MIT
#include <attune/tune/interrupt.hpp>

#include <csignal>
#include <doctest/doctest.h>

namespace {

std::sig_atomic_t volatile own_handler_ran = 0;

extern "C" void own_handler(int) { own_handler_ran = own_handler_ran + 1; }

/// A program that handles Ctrl-C itself.
struct with_own_handler {
    struct sigaction former{};
    with_own_handler()
    {
        own_handler_ran = 0;
        struct sigaction mine{};
        mine.sa_handler = own_handler;
        ::sigaction(SIGINT, &mine, &former);
    }
    ~with_own_handler() { ::sigaction(SIGINT, &former, nullptr); }
    with_own_handler(with_own_handler const&) = delete;
    with_own_handler& operator=(with_own_handler const&) = delete;

    static bool in_place()
    {
        struct sigaction now{};
        ::sigaction(SIGINT, nullptr, &now);
        return now.sa_handler == own_handler;
    }
};

} // namespace

TEST_CASE("the first Ctrl-C sets the flag and does nothing else")
{
    with_own_handler const program;
    attune::interrupt_guard const guard;
    CHECK(!guard.requested());
    ::raise(SIGINT);
    CHECK(guard.requested());
    CHECK(own_handler_ran == 0);
}

TEST_CASE("the second Ctrl-C is the program's own")
{
    with_own_handler const program;
    attune::interrupt_guard const guard;
    ::raise(SIGINT);
    ::raise(SIGINT);
    CHECK(own_handler_ran == 1);
    CHECK(guard.requested());
}

TEST_CASE("the program's handler is back when the guard goes")
{
    with_own_handler const program;
    {
        attune::interrupt_guard const guard;
        CHECK(!with_own_handler::in_place());
    }
    CHECK(with_own_handler::in_place());
    {
        attune::interrupt_guard const guard;
        ::raise(SIGINT);
    }
    CHECK(with_own_handler::in_place());
}

TEST_CASE("a new guard starts without the request of the one before")
{
    with_own_handler const program;
    {
        attune::interrupt_guard const guard;
        ::raise(SIGINT);
    }
    attune::interrupt_guard const next;
    CHECK(!next.requested());
}

TEST_CASE("a guard inside another one does nothing")
{
    with_own_handler const program;
    attune::interrupt_guard const outer;
    {
        attune::interrupt_guard const inner;
        CHECK(!inner.requested());
    }
    CHECK(!with_own_handler::in_place());
    ::raise(SIGINT);
    CHECK(outer.requested());
    CHECK(own_handler_ran == 0);
}
