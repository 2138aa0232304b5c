// tests/core/count_text.cpp : mirrors attune/core/count_text.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/core/count_text.hpp>

#include <doctest/doctest.h>

TEST_CASE("one of a thing has no s")
{
    CHECK(attune::detail::count_text(0, "run") == "0 runs");
    CHECK(attune::detail::count_text(1, "run") == "1 run");
    CHECK(attune::detail::count_text(2, "evaluation") == "2 evaluations");
}
