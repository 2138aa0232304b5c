// tests/core/timing_record.cpp - the single times behind one measurement.
// SPDX-License-Identifier: MIT
#include <attune/core/timing_record.hpp>

#include <doctest/doctest.h>

TEST_CASE("a record without times is that of no timing, and records compare by all they hold")
{
    attune::timing_record const none;
    CHECK(none.times.empty());
    CHECK(none.runs == 1);
    CHECK(none.threads == 1);
    attune::timing_record other{.times = {1.0}, .clock = "wall"};
    CHECK(other != none);
    attune::timing_record const same = other;
    CHECK(other == same);
    other.disturbed = {0};
    CHECK(other != same);
}
