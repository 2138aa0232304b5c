// tests/measure/clock/run_limits.cpp - the limits of runs, against what they mean.
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/run_limits.hpp>

#include <doctest/doctest.h>
#include <initializer_list>
#include <limits>

TEST_CASE("a pause of the machine is no hang, and a slow run may be as slow as allowed")
{
    CHECK(attune::detail::first_run_limit_s(0) == 0.25);
    CHECK(attune::detail::first_run_limit_s(1e-6) == 0.25);
    CHECK(attune::detail::first_run_limit_s(1) == 10);
    CHECK(attune::detail::first_run_limit_s(1, 3) == 3);
    double const never = std::numeric_limits<double>::infinity();
    CHECK(attune::detail::first_run_limit_s(never) == never);
}

TEST_CASE("the errors of all intervals against one together are 5 percent")
{
    for (std::size_t const n : {2U, 3U, 7U, 100U})
        CHECK((1 - attune::detail::confidence_among(n)) * static_cast<double>(n - 1) ==
              doctest::Approx(0.05));
    CHECK(attune::detail::confidence_among(0) == attune::detail::confidence_among(2));
}
