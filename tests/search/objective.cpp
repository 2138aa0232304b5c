// tests/search/objective.cpp : mirrors include/attune/search/objective.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/objective.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

using attune::objective_scale;

TEST_CASE("objective_scale makes mean 0 and deviation 1 of the logarithms of positive values")
{
    std::vector<double> const values{1.0, 10.0, 100.0, 1000.0};
    objective_scale const scale{values};
    CHECK(scale.logarithmic());
    // logarithms 0, 1, 2, 3 (base 10): mean 1.5, sample deviation sqrt(5/3)
    CHECK(scale.to_model(1.0) == doctest::Approx(-1.5 / std::sqrt(5.0 / 3.0)));
    CHECK(scale.to_model(std::pow(10.0, 1.5)) == doctest::Approx(0.0));
    for (double const v : values)
        CHECK(scale.from_model(scale.to_model(v)) == doctest::Approx(v));
    CHECK_FALSE(scale.accepts(0.0));
    CHECK_FALSE(scale.accepts(std::numeric_limits<double>::infinity()));
}

TEST_CASE("objective_scale stays linear when a value is not positive")
{
    objective_scale const scale{std::vector<double>{-1.0, 0.0, 1.0}};
    CHECK_FALSE(scale.logarithmic());
    CHECK(scale.to_model(1.0) == doctest::Approx(1.0));
    CHECK(scale.from_model(-2.0) == doctest::Approx(-2.0));
    CHECK(scale.accepts(-5.0));
    CHECK_FALSE(scale.accepts(std::nan("")));
}

TEST_CASE("objective_scale of equal values, of one and of none can be inverted")
{
    for (std::vector<double> const& values :
         {std::vector<double>{0.1, 0.1, 0.1}, std::vector<double>{7.0}, std::vector<double>{}}) {
        objective_scale const scale{values};
        CHECK(scale.from_model(scale.to_model(0.4)) == doctest::Approx(0.4));
        CHECK(std::abs(scale.to_model(0.4)) < 10);
    }
}
