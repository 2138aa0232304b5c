// tests/tune/loop/interrupt.cpp - Ctrl-C while a loop runs.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/run_state.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <memory>

#include "../../support/child_status.hpp"
#include "../../support/own_handler.hpp"

using attune::detail::interrupt_guard;
using attune_test::own_handler_ran;
using attune_test::with_own_handler;

TEST_CASE("the first Ctrl-C sets the flag, and reaches the program when the guard has gone")
{
    with_own_handler const program;
    {
        interrupt_guard const guard;
        CHECK(!guard.requested());
        ::raise(SIGINT);
        CHECK(guard.requested());
        CHECK(own_handler_ran == 0);
    }
    CHECK(own_handler_ran == 1);
    CHECK(with_own_handler::in_place());
}

TEST_CASE("the second Ctrl-C is the program's own, and it gets no third")
{
    with_own_handler const program;
    {
        interrupt_guard const guard;
        ::raise(SIGINT);
        ::raise(SIGINT);
        CHECK(own_handler_ran == 1);
        CHECK(guard.requested());
    }
    CHECK(own_handler_ran == 1);
}

TEST_CASE("without Ctrl-C the program's handler is back and has not run")
{
    with_own_handler const program;
    {
        interrupt_guard const guard;
        CHECK(!with_own_handler::in_place());
    }
    CHECK(with_own_handler::in_place());
    CHECK(own_handler_ran == 0);
}

TEST_CASE("a handler that the program installs meanwhile stays, and gets what came before it")
{
    with_own_handler const program;
    static int newer_ran = 0;
    {
        interrupt_guard const guard;
        ::raise(SIGINT);
        struct sigaction newer{};
        newer.sa_handler = [](int) { ++newer_ran; };
        ::sigaction(SIGINT, &newer, nullptr);
    }
    CHECK(newer_ran == 1);
    ::raise(SIGINT);
    CHECK(newer_ran == 2);
    CHECK(own_handler_ran == 0);
}

TEST_CASE("a program without a handler goes on, and so does one that ignores Ctrl-C")
{
    for (auto* const what : {SIG_DFL, SIG_IGN}) {
        with_own_handler const program;
        std::signal(SIGINT, what);
        {
            interrupt_guard const guard;
            ::raise(SIGINT);
            CHECK(guard.requested());
        }
        struct sigaction now{};
        ::sigaction(SIGINT, nullptr, &now);
        bool const is_back = now.sa_handler == what;
        CHECK(is_back);
    }
}

TEST_CASE("a new guard starts without the request of the one before")
{
    with_own_handler const program;
    {
        interrupt_guard const guard;
        ::raise(SIGINT);
    }
    interrupt_guard const next;
    CHECK(!next.requested());
}

TEST_CASE("while a guard pauses, Ctrl-C is the program's")
{
    with_own_handler const program;
    interrupt_guard guard;
    guard.pause();
    CHECK(with_own_handler::in_place());
    ::raise(SIGINT);
    CHECK(own_handler_ran == 1);
    CHECK(!guard.requested());
    guard.resume();
    guard.resume();
    CHECK(!with_own_handler::in_place());
    ::raise(SIGINT);
    CHECK(guard.requested());
    CHECK(own_handler_ran == 1);
    {
        interrupt_guard const other;
        guard.pause();
        CHECK(own_handler_ran == 1); // another one is at work
        CHECK(other.requested());
    }
    CHECK(own_handler_ran == 2);
    guard.pause();
    CHECK(own_handler_ran == 2);
    CHECK(!guard.requested());
}

TEST_CASE("Ctrl-C is for all guards that live, and for the program when the last has gone")
{
    with_own_handler const program;
    {
        interrupt_guard const first;
        {
            auto second = std::make_unique<interrupt_guard>();
            ::raise(SIGINT);
            CHECK(first.requested());
            CHECK(second->requested());
            second.reset();
        }
        CHECK(own_handler_ran == 0);
        CHECK(first.requested());
        interrupt_guard const third;
        CHECK(third.requested());
    }
    CHECK(own_handler_ran == 1);
}

TEST_CASE("in a child of the program Ctrl-C is the program's alone")
{
    with_own_handler const program;
    interrupt_guard const guard;
    ::raise(SIGINT);
    CHECK(attune_test::child_status([&] {
              ::raise(SIGINT);
              bool const is_own = own_handler_ran == 1 && with_own_handler::in_place();
              return is_own && !guard.requested() ? 0 : 8;
          }) == 0);
    CHECK(guard.requested());
}

TEST_CASE("a guard whose caller is told of Ctrl-C keeps it, unless another one passes it on")
{
    with_own_handler const program;
    {
        interrupt_guard const told{interrupt_guard::afterwards::no_handler};
        ::raise(SIGINT);
        CHECK(told.requested());
    }
    CHECK(own_handler_ran == 0);
    {
        interrupt_guard const told{interrupt_guard::afterwards::no_handler};
        interrupt_guard const other;
        ::raise(SIGINT);
    }
    CHECK(own_handler_ran == 1);
}
