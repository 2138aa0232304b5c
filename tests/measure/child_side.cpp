// tests/measure/child_side.cpp : the inside of a child, include/attune/measure/sandbox/detail/child_side.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/child_process.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <functional>
#include <string>
#include <unistd.h>

#include "program_output.hpp"

using attune::detail::child_end;
using attune::detail::child_ending;
using attune::detail::run_in_child;
using attune_test::stdout_of_a_program;

namespace {

std::function<std::string()> const no_check;

} // namespace

TEST_CASE("what a child writes to stderr is kept, up to a limit")
{
    auto const says = [] {
        std::fputs("first line\nsecond line\n", stderr);
        std::abort();
    };
    child_end const end = run_in_child(says, no_check);
    CHECK(end.code == SIGABRT);
#if defined(__linux__)
    CHECK(end.log.substr(0, 23) == "first line\nsecond line\n");
#endif
    auto const floods = [] {
        for (int i = 0; i < 20000; ++i)
            std::fputs("0123456789", stderr);
    };
    child_end const flooded = run_in_child(floods, no_check);
    CHECK(flooded.ending == child_ending::returned);
    CHECK(flooded.log.size() <= 64 * 1024);
}

TEST_CASE("buffered output of the program is written once, whatever the child does to stdout")
{
    std::string const text = stdout_of_a_program([] {
        std::fputs("once", stdout);
        static_cast<void>(run_in_child([] {}, no_check));
        static_cast<void>(run_in_child([] { std::exit(0); }, no_check));
        static_cast<void>(run_in_child([] { std::quick_exit(0); }, no_check));
        static_cast<void>(run_in_child([] { std::fflush(stdout); }, no_check));
        static_cast<void>(run_in_child([] { std::fclose(stdout); }, no_check));
        static_cast<void>(run_in_child([] { std::abort(); }, no_check));
        static_cast<void>(run_in_child(
            [] {
                for (int i = 0; i < 20000; ++i)
                    std::fputs("a child prints\n", stdout);
            },
            no_check));
    });
    CHECK(text == "once");
}

TEST_CASE("handlers of the program for its exit do not run in a child")
{
    std::string const text = stdout_of_a_program([] {
        std::atexit([] { static_cast<void>(write(STDERR_FILENO, "atexit ran", 10)); });
        std::at_quick_exit([] { static_cast<void>(write(STDERR_FILENO, "quick ran", 9)); });
        std::fputs(run_in_child([] { std::exit(0); }, no_check).log.c_str(), stdout);
        std::fputs(run_in_child([] { std::quick_exit(0); }, no_check).log.c_str(), stdout);
    });
    CHECK(text.empty());
}

TEST_CASE("a run that closes every descriptor still ends as what it is")
{
    auto const closes_all = [] {
        for (int descriptor = 0; descriptor < 1024; ++descriptor)
            close(descriptor);
    };
    CHECK(run_in_child(closes_all, no_check).ending == child_ending::returned);
    CHECK(fcntl(STDOUT_FILENO, F_GETFD) != -1);
}

TEST_CASE("handlers and mask of the program hold for the program, not for the child")
{
    struct sigaction mine{};
    struct sigaction before{};
    mine.sa_handler = [](int) { _exit(0); };
    sigaction(SIGSEGV, &mine, &before);
    auto* const usr1_before = std::signal(SIGUSR1, [](int) { _exit(0); });
    sigset_t blocked;
    sigset_t mask_before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &mask_before);
    CHECK(run_in_child([] { raise(SIGSEGV); }, no_check).ending == child_ending::signalled);
    CHECK(run_in_child([] { raise(SIGTERM); }, no_check).code == SIGTERM);
    CHECK(run_in_child([] { raise(SIGUSR1); }, no_check).code == SIGUSR1);
    std::signal(SIGUSR1, usr1_before);

    struct sigaction after{};
    sigaction(SIGSEGV, &before, &after);
    bool const is_untouched = after.sa_handler == mine.sa_handler;
    CHECK(is_untouched);
    sigset_t mask_after;
    pthread_sigmask(SIG_SETMASK, &mask_before, &mask_after);
    CHECK(sigismember(&mask_after, SIGTERM) == 1);
    CHECK(sigismember(&mask_after, SIGINT) == 0);
}
