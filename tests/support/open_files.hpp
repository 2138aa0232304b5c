// tests/support/open_files.hpp : children of a test, and what a process has left behind.
// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attune_test {

/// How many descriptors of this process are open.
[[nodiscard]] inline int open_descriptors()
{
    int count = 0;
    for (int descriptor = 0; descriptor < 1024; ++descriptor)
        count += ::fcntl(descriptor, F_GETFD) != -1 ? 1 : 0;
    return count;
}

/// Neither running nor waiting to be reaped.
[[nodiscard]] inline bool has_no_children()
{
    errno = 0;
    return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

/// A child that ends with 0 after `body`, and whose signals nobody handles.
template <class Body>
[[nodiscard]] ::pid_t fork_child(Body const& body)
{
    ::pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (int const signal : {SIGABRT, SIGSEGV, SIGTERM, SIGINT})
            std::signal(signal, SIG_DFL);
        body();
        ::_exit(0);
    }
    return child;
}

/// Waits for the child. @return  as waitpid() gives it; 0: it has ended with 0
[[nodiscard]] inline int status_of(::pid_t child)
{
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

} // namespace attune_test
