// tests/core/posix/signal_context.cpp - code that runs in a signal handler, and code that does not.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/signal_context.hpp>

#include <atomic>
#include <csignal>
#include <doctest/doctest.h>

using attune::detail::is_in_signal_handler;

namespace {

std::atomic<int> seen{-1};
void look(int) { seen = is_in_signal_handler() ? 1 : 0; }

} // namespace

TEST_CASE("a signal handler is seen from within, also where the program blocks signals itself")
{
    struct sigaction ours{};
    struct sigaction before{};
    ours.sa_handler = look;
    REQUIRE(::sigaction(SIGUSR2, &ours, &before) == 0);
    CHECK(!is_in_signal_handler());
    static_cast<void>(std::raise(SIGUSR2));
    CHECK(seen == 1);
    sigset_t other;
    sigset_t usual;
    sigemptyset(&other);
    sigaddset(&other, SIGWINCH);
    REQUIRE(::pthread_sigmask(SIG_BLOCK, &other, &usual) == 0);
    CHECK(!is_in_signal_handler());
    seen = -1;
    static_cast<void>(std::raise(SIGUSR2));
    CHECK(seen == 1);
    CHECK(!is_in_signal_handler());
    ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
    ::sigaction(SIGUSR2, &before, nullptr);
}
