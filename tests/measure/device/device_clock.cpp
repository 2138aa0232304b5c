// tests/measure/device/device_clock.cpp : the clock in include/attune/measure/device/device_session.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/device/device_session.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>

#include <doctest/doctest.h>

#include "scripted_call.hpp"

using attune::detail::device_clock;

TEST_CASE("a time is what lies between two events")
{
    attune_test::scripted_session s;
    {
        device_clock clock(s.where);
        s.device.looks_until_done = 3;
        double const took_s = clock.time([&] { s.device.now_s += 0.25; }, 10);
        CHECK(took_s == doctest::Approx(0.25 + 1e-6));
        CHECK(s.device.calls["event_query"] == 4);
        clock.wait(10);
    }
    CHECK(s.device.live["stream"] == 0);
    CHECK(s.device.live["event"] == 0);
}

TEST_CASE("a clock that cannot be made leaves nothing behind")
{
    for (int const at : {1, 2}) {
        attune_test::scripted_session s;
        s.device.fails = "event_create";
        s.device.fails_at = at;
        s.device.fails_with = attune::detail::cuda::invalid_value;
        CHECK_THROWS_AS(device_clock(s.where), attune::error);
        CHECK(s.device.live["event"] == 0);
        CHECK(s.device.live["stream"] == 0);
    }
}
