// tests/declare/model/roofline.cpp - times on a device are those of its two peaks.
// SPDX-License-Identifier: MIT
#include <attune/declare/model/roofline.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/parameters.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>

#include "../../support/quantity_value.hpp"

namespace model = attune::model;

TEST_CASE("a layer takes the longer of its two times, or their sum")
{
    constexpr auto batch = attune::integer<"BATCH">(1, 512);
    model::network net("n", 4);
    model::tensor const x = model::dense(net.input({batch, 64}), 1024);
    model::dense(x, 8);
    model::roofline_device device{"P40", 11760, 346};
    for (bool const overlaps : {true, false}) {
        device.overlaps = overlaps;
        model::network_time const time = model::time_on(net, device);
        for (std::int64_t const n : {1, 7, 64, 512}) {
            double expected = 0;
            for (auto const& [in, out] :
                 {std::pair<std::int64_t, std::int64_t>{64, 1024}, {1024, 8}}) {
                double const f = 2.0 * static_cast<double>(n * in * out) / 11.76e12;
                double const b =
                    4.0 * static_cast<double>(n * in + in * out + out + n * out) / 346e9;
                expected += overlaps ? std::max(f, b) : f + b;
            }
            attune_tests::parameter_values const at{{"BATCH", n}};
            double const found =
                time.seconds_per_unit * static_cast<double>(attune_tests::value_of(time.units, at));
            CHECK(found == doctest::Approx(expected).epsilon(1e-12));
            CHECK(attune_tests::value_of(time.at_most(expected * 1.001), at) == 1);
            CHECK(attune_tests::value_of(time.at_most(expected * 0.999), at) == 0);
            CHECK(attune_tests::value_of(time.at_least(expected * 0.999), at) == 1);
            CHECK(attune_tests::value_of(time.at_least(expected * 1.001), at) == 0);
        }
    }
    device.gbytes_per_s = 0;
    CHECK_THROWS_AS(static_cast<void>(model::time_on(net, device)), attune::error);
}

TEST_CASE("bounds hold of a time itself and of any number of seconds")
{
    constexpr auto n = attune::integer<"N">(1, 9);
    constexpr double infinite = std::numeric_limits<double>::infinity();
    model::network net("n");
    model::dense(net.input({n, 6}), 6);
    model::network_time const time = model::time_on(net, {"P40", 11760, 346});
    attune_tests::parameter_values const at{{"N", 9}};
    for (double const longest : {140.0, 1000.0, 1e300, infinite}) {
        CHECK(attune_tests::value_of(time.at_most(longest), at) == 1);
        CHECK(attune_tests::value_of(time.at_least(-longest), at) == 1);
        CHECK(attune_tests::value_of(time.at_least(longest), at) == 0);
    }
    CHECK_THROWS_AS(static_cast<void>(time.at_most(std::nan(""))), attune::error);
    CHECK_THROWS_AS(static_cast<void>(time.at_least(std::nan(""))), attune::error);
    attune::random_engine engine(5);
    for (int i = 0; i < 1000; ++i) {
        auto const units = static_cast<std::int64_t>(engine() >> (1 + engine() % 62));
        model::network_time const own{units, time.seconds_per_unit};
        double const seconds = static_cast<double>(units) * own.seconds_per_unit;
        CHECK(own.at_most(seconds).constant() == 1);
        CHECK(own.at_least(seconds).constant() == 1);
        if (units > 0 && units < 1'000'000'000) {
            model::network_time const longer{units + 1, time.seconds_per_unit};
            CHECK(longer.at_most(seconds).constant() == 0);
        }
    }
}
