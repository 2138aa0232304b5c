// tests/search/meta/tuning_gains.cpp : mirrors include/attune/search/meta/tuning_gains.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/meta/tuning_gains.hpp>

#include <attune/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

using attune::search::tuning_gains;

TEST_CASE("quantiles are those of the sorted gains, within half a step")
{
    attune::random_engine engine(5);
    for (std::size_t const n : {1U, 2U, 5U, 10U, 101U}) {
        std::vector<double> all;
        tuning_gains gains;
        for (std::size_t i = 0; i < n; ++i) {
            all.push_back(std::exp(5 * attune::uniform_unit(engine)));
            gains.add(all.back());
        }
        std::sort(all.begin(), all.end());
        CHECK(gains.count() == n);
        for (std::size_t const percent : {0U, 20U, 50U, 80U, 100U}) {
            std::size_t const rank = std::max<std::size_t>(1, (percent * n + 99) / 100);
            double const exact = all[rank - 1];
            double const got = *gains.quantile(static_cast<double>(percent) / 100);
            CHECK(std::abs(std::log(got / exact)) <= std::log(1.05) / 2 + 1e-12);
        }
    }
    CHECK(!tuning_gains{}.quantile(.5).has_value());
}

TEST_CASE("gains below 1 are 1, those that are none do not count")
{
    tuning_gains gains;
    gains.add(0.5);
    gains.add(std::numeric_limits<double>::infinity());
    gains.add(std::numeric_limits<double>::quiet_NaN());
    CHECK(gains.count() == 1);
    CHECK(gains.quantile(1) == 1.0);
    gains.add(1e30);
    CHECK(*gains.quantile(1) == doctest::Approx(1e9).epsilon(.03));
}

TEST_CASE("gains are read back from their text, sums are those of all")
{
    tuning_gains a;
    tuning_gains b;
    tuning_gains both;
    for (double const gain : {1.0, 2.0, 2.0, 7.0}) {
        a.add(gain);
        both.add(gain);
    }
    for (double const gain : {2.0, 30.0}) {
        b.add(gain);
        both.add(gain);
    }
    CHECK(a.text() == "0:1,14:2,40:1"); // 1.05^14 = 1.98, 1.05^40 = 7.04
    for (tuning_gains const& one : {a, b, both, tuning_gains{}}) {
        auto const again = tuning_gains::read(one.text());
        REQUIRE(again.has_value());
        CHECK(*again == one);
    }
    a.add_all(b);
    CHECK(a == both);
    for (char const* const bad :
         {"x", "1", "1:", ":1", "1:0", "-1:1", "2:1,1:1", "1:1,1:1", "1:1,", " 1:1", "500:1"}) {
        CAPTURE(bad);
        CHECK(!tuning_gains::read(bad).has_value());
    }
}
