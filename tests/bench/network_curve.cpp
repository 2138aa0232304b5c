// tests/bench/network_curve.cpp : mirrors bench/tune/network_curve.hpp
// SPDX-License-Identifier: MIT
#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "../../bench/tune/network_curve.hpp"

TEST_CASE("the readings of a network are sums of those of its layers, by their calls")
{
    bench::network_curve curve;
    curve.add(2, {8, 4, 4, 1});
    curve.add(1, {3, 2}); // ended early
    CHECK(curve.trials() == 4);
    CHECK(curve.after(1) == 19);
    CHECK(curve.after(2) == 10);
    CHECK(curve.after(3) == 10);
    CHECK(curve.after(4) == 4);
    CHECK(curve.after(9) == 4);
    CHECK(curve.trials_to(19) == 1);
    CHECK(curve.trials_to(18) == 2);
    CHECK(curve.trials_to(4) == 4);
    CHECK(!curve.trials_to(3.9));
    CHECK(curve.found_after(2) == doctest::Approx(std::sqrt(1.0 / 4 * 2 / 2)));
    CHECK(curve.found_after(1) == doctest::Approx(std::sqrt(1.0 / 8 * 2 / 3)));
    CHECK(curve.found_after(8) == 1);
}

TEST_CASE("a network has no time before each of its layers has one")
{
    bench::network_curve curve;
    curve.add(1, {std::numeric_limits<double>::infinity(), 5});
    curve.add(1, {1, 1});
    CHECK(curve.trials_to(1e9) == 2);
}
