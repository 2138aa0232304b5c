// tests/measure/clock/timer.cpp : mirrors include/attune/measure/clock/timer.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/timer.hpp>
// and what the test needs besides
#include <doctest/doctest.h>
#include <functional>
#include <tuple>

#include "../../laws/timer.hpp"
#include "../../support/minimal_timer.hpp"

TEST_CASE_TEMPLATE_APPLY(timer_laws, std::tuple<attune_test::minimal_timer>);

namespace {

struct returns_double {
    double time(std::function<void()> const&, std::function<void()> const&) { return 1; }
};

struct needs_only_run {
    attune::measurement time(std::function<void()> const&) { return {}; }
};

/// Remembers the limit it was told.
struct racer {
    double limit = 0;

    void stop_above(double value_s) { limit = value_s; }
    attune::measurement time(std::function<void()> const&, std::function<void()> const&)
    {
        return attune::measurement::exact(2);
    }
};

} // namespace

TEST_CASE("a timer returns a measurement of a prepared run; nothing else is a timer")
{
    CHECK(attune::timer<attune_test::minimal_timer>);
    CHECK_FALSE(attune::timer<returns_double>);
    CHECK_FALSE(attune::timer<needs_only_run>);
    CHECK_FALSE(attune::timer<int>);
}

TEST_CASE("a racing timer is a timer that can be told when to give up")
{
    CHECK(attune::racing_timer<racer>);
    CHECK_FALSE(attune::racing_timer<attune_test::minimal_timer>);
}

TEST_CASE("time_with tells a racing timer its limit")
{
    racer told;
    CHECK(attune::time_with(told, [] {}, [] {}, 0.5).value == 2);
    CHECK(told.limit == 0.5);
}
