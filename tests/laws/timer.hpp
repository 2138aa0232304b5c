// tests/laws/timer.hpp - what every timer must do.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/clock/timer.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <stdexcept>
#include <string>

namespace attune_test {

/// Thrown through timers to see that it comes out as it went in.
struct thrown_through {
    int value;
};

} // namespace attune_test

TEST_CASE_TEMPLATE_DEFINE("a timer keeps the laws of timers", Timer, timer_laws)
{
    static_assert(attune::timer<Timer>);
    Timer timer{};
    double const never = std::numeric_limits<double>::infinity();

    SUBCASE("prepare comes before every run, and only there")
    {
        std::string calls;
        attune::measurement const m =
            attune::time_with(timer, [&] { calls += 'p'; }, [&] { calls += 'r'; }, never);
        REQUIRE(calls.size() >= 2);
        REQUIRE(calls.size() % 2 == 0);
        for (std::size_t i = 0; i < calls.size(); ++i)
            CHECK(calls[i] == (i % 2 == 0 ? 'p' : 'r'));
        CHECK(m.samples <= calls.size() / 2);
    }
    SUBCASE("the value lies inside its interval, finite and not negative")
    {
        attune::measurement const m = attune::time_with(timer, [] {}, [] {}, never);
        CHECK(m.samples >= 1);
        CHECK(std::isfinite(m.high));
        CHECK(m.low >= 0);
        CHECK(m.low <= m.value);
        CHECK(m.value <= m.high);
    }
    SUBCASE("an empty prepare is allowed")
    {
        int runs = 0;
        std::function<void()> const nothing;
        static_cast<void>(attune::time_with(timer, nothing, [&] { ++runs; }, never));
        CHECK(runs >= 1);
    }
    SUBCASE("what run throws comes out as it is, and the timer works afterwards")
    {
        int value = 0;
        try {
            static_cast<void>(attune::time_with(
                timer, [] {}, [] { throw attune_test::thrown_through{7}; }, never));
        } catch (attune_test::thrown_through const& caught) {
            value = caught.value;
        }
        CHECK(value == 7);
        CHECK(attune::time_with(timer, [] {}, [] {}, never).samples >= 1);
    }
    SUBCASE("what prepare throws comes out as it is, and nothing has run")
    {
        int runs = 0;
        CHECK_THROWS_AS(
            static_cast<void>(attune::time_with(
                timer, [] { throw std::logic_error("prepare"); }, [&] { ++runs; }, never)),
            std::logic_error);
        CHECK(runs == 0);
    }
    SUBCASE("a limit for racing that nothing can keep still gives a measurement")
    {
        CHECK(attune::time_with(timer, [] {}, [] {}, 0.0).samples >= 1);
    }
}
