// tests/cuda/clocks.cpp : mirrors include/attune/cuda/clocks.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/cuda/clocks.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "../support/set_variable.hpp"

using attune::detail::cuda::clock_reader;
using attune::detail::cuda::clock_reading;
using attune_test::contains;
using attune_test::set_variable;

TEST_CASE("the clocks of the device at the place that the driver names")
{
    auto const driver = attune::detail::cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    clock_reader const reader{*driver, 1, ATTUNE_SCRIPTED_NVML};
    CHECK(reader.why_none().empty());
    auto const reading = reader.read();
    REQUIRE(reading.has_value());
    CHECK(reading->mhz == 1410); // clock 1 is that of the multiprocessors
    CHECK(reading->most_mhz == 1980);
    CHECK_FALSE(reading->is_throttled());
    CHECK(text_of(*reading) == "1410 of 1980 MHz");

    set_variable const bits{"ATTUNE_TEST_NVML_REASONS", "0x24"};
    auto const hot = reader.read();
    REQUIRE(hot.has_value());
    CHECK(hot->is_throttled());
    CHECK(text_of(*hot) == "1410 of 1980 MHz: power limit, heat");
}

TEST_CASE("of the reasons for a clock, those of heat, power and supply throttle")
{
    for (unsigned bit = 0; bit < 9; ++bit) {
        clock_reading reading;
        reading.reasons = std::uint64_t{1} << bit;
        // idle, set by the user, by a group of devices, by the display: nothing is wrong
        bool const harmless = bit == 0 || bit == 1 || bit == 4 || bit == 8;
        CHECK(reading.is_throttled() != harmless);
    }
}

TEST_CASE("without the library, or where it does not know the device, nothing is read")
{
    auto const driver = attune::detail::cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    clock_reader const none{*driver, 0, "/nowhere/libnvidia-ml.so.1"};
    CHECK_FALSE(none.read().has_value());
    CHECK(contains(none.why_none(), "no NVML: /nowhere"));

    clock_reader const other{*driver, 0, ATTUNE_SCRIPTED_NVML}; // it knows bus 0x42 only
    CHECK_FALSE(other.read().has_value());
    CHECK(other.why_none() == "device at 0000:41:00.0: Not Found");

    clock_reader const wrong{*driver, 0, ATTUNE_SCRIPTED_DRIVER};
    CHECK_FALSE(wrong.read().has_value());
    CHECK(contains(wrong.why_none(), "has no function nvmlInit_v2"));

    set_variable const broken{"ATTUNE_TEST_NVML_INIT", "9"};
    clock_reader const asleep{*driver, 1, ATTUNE_SCRIPTED_NVML};
    CHECK_FALSE(asleep.read().has_value());
    CHECK(asleep.why_none() == "nvmlInit: Driver Not Loaded");
}
