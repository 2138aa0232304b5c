// tests/search/bayes/acquisition/confidence_bound.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/confidence_bound.hpp>

#include <cmath>
#include <doctest/doctest.h>

#include "../../../support/monte_carlo.hpp"

using attune::lower_confidence_bound;
using attune::upper_confidence_bound;

TEST_CASE("a bound leaves the share of a normal distribution outside that its deviations say")
{
    for (double const exploration : {0.0, 0.5, 1.0, 2.0}) {
        double const outside = 0.5 * std::erfc(exploration / std::sqrt(2.0));
        double const low = lower_confidence_bound(1.5, 0.49, exploration);
        double const high = upper_confidence_bound(1.5, 0.49, exploration);
        monte_carlo::estimate const below =
            monte_carlo::expectation(1.5, 0.49, [low](double f) { return f < low ? 1.0 : 0.0; });
        monte_carlo::estimate const above =
            monte_carlo::expectation(1.5, 0.49, [high](double f) { return f > high ? 1.0 : 0.0; });
        CHECK(std::abs(below.mean - outside) < 4.5 * below.error);
        CHECK(std::abs(above.mean - outside) < 4.5 * above.error);
    }
}

TEST_CASE("without exploration or variance both bounds are the mean")
{
    CHECK(lower_confidence_bound(2.0, 9.0, 0.0) == 2.0);
    CHECK(upper_confidence_bound(2.0, 0.0, 3.0) == 2.0);
    CHECK(lower_confidence_bound(2.0, -1e-18, 3.0) == 2.0); // rounding error of a posterior
    CHECK(lower_confidence_bound(2.0, 9.0, 2.0) == -4.0);
    CHECK(upper_confidence_bound(2.0, 9.0, 2.0) == 8.0);
}
