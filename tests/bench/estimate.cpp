// tests/bench/estimate.cpp : mirrors bench/support/estimate.hpp
// SPDX-License-Identifier: MIT
#include <cmath>
#include <doctest/doctest.h>

#include "../../bench/support/estimate.hpp"

TEST_CASE("a mean and its standard error")
{
    bench::estimate const of = bench::estimate_of({1, 2, 3, 6});
    CHECK(of.mean == 3);
    CHECK(of.error == doctest::Approx(std::sqrt((4.0 + 1 + 0 + 9) / 3 / 4)));
    CHECK(bench::estimate_of({7, 7, 7}).error == 0);
    CHECK(bench::estimate_of({7}).mean == 7);
    CHECK(std::isnan(bench::estimate_of({7}).error));
}
