// tests/declare/model/roofline.cpp - times on a device are those of its two peaks.
// SPDX-License-Identifier: MIT
#include <attune/declare/model/roofline.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/parameters.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>

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
            for (auto const [in, out] :
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
