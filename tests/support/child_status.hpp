// tests/support/child_status.hpp - what a forked child does, and how it ended.
// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attune_test {

/// The status, as of waitpid(), of a child that ends with what `act` returns.
template <class Act>
[[nodiscard]] int child_status(Act const& act)
{
    pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(act());
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

} // namespace attune_test
