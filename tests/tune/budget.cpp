// tests/tune/budget.cpp - the limits of a loop.
// SPDX-License-Identifier: MIT
#include <attune/tune/budget.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>

TEST_CASE("a budget without arguments can be used")
{
    CHECK_NOTHROW(attune::require_usable(attune::budget{}));
}

TEST_CASE("a budget of evaluations has no limit of time, one of seconds none of evaluations")
{
    constexpr auto ten = attune::budget::of_evaluations(10);
    CHECK(ten.evaluations == 10);
    CHECK(std::isinf(ten.seconds));
    constexpr auto minute = attune::budget::of_seconds(60);
    CHECK(minute.seconds == 60);
    CHECK(minute.evaluations == std::numeric_limits<std::uint32_t>::max());
    CHECK_NOTHROW(attune::require_usable(ten));
    CHECK_NOTHROW(attune::require_usable(minute));
}

TEST_CASE("a budget with which nothing could be evaluated is refused with advice")
{
    double const nan = std::numeric_limits<double>::quiet_NaN();
    for (attune::budget const limits : {attune::budget{0, 60},
                                        attune::budget{60, 0},
                                        attune::budget{60, -1},
                                        attune::budget{60, nan}}) {
        try {
            attune::require_usable(limits);
            FAIL("not refused");
        } catch (attune::error const& e) {
            std::string const text = e.what();
            CHECK(text.find("budget is zero") != std::string::npos);
            CHECK(e.where().find(std::to_string(limits.evaluations)) != std::string::npos);
            CHECK(!e.next().empty());
        }
    }
}
