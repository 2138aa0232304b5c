// tests/support/own_handler.hpp - a program that handles Ctrl-C itself.
// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

namespace attune_test {

inline std::sig_atomic_t volatile own_handler_ran = 0;

/// While it lives, SIGINT counts in own_handler_ran.
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
    static void own_handler(int) { own_handler_ran = own_handler_ran + 1; }
    static bool in_place()
    {
        struct sigaction now{};
        ::sigaction(SIGINT, nullptr, &now);
        return now.sa_handler == own_handler;
    }
};

} // namespace attune_test
