// tests/core/posix/steady_seconds.cpp - seconds that never go back.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/steady_seconds.hpp>

#include <doctest/doctest.h>
#include <time.h>

TEST_CASE("the steady clock counts seconds and never goes back")
{
    double const before = attune::detail::steady_seconds();
    timespec const nap{0, 2'000'000};
    ::nanosleep(&nap, nullptr);
    CHECK(attune::detail::steady_seconds() - before >= 0.002);
}
