// tests/search/bayes/objective.cpp : mirrors include/attune/search/bayes/objective.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/objective.hpp>

#include <attune/search/bayes/bayesian_options.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

using attune::detail::objective_scale;

TEST_CASE("objective_scale makes mean 0 and deviation 1 of the logarithms of positive values")
{
    std::vector<double> const values{1.0, 10.0, 100.0, 1000.0};
    objective_scale const scale{values};
    CHECK(scale.logarithmic());
    // logarithms 0, 1, 2, 3 (base 10), the upper median 2 and the span 2, so that nothing is bent:
    // mean 1.5, sample deviation sqrt(5/3)
    CHECK(scale.to_model(1.0) == doctest::Approx(-1.5 / std::sqrt(5.0 / 3.0)));
    CHECK(scale.to_model(std::pow(10.0, 1.5)) == doctest::Approx(0.0));
    for (double const v : values)
        CHECK(scale.from_model(scale.to_model(v)) == doctest::Approx(v));
    CHECK_FALSE(scale.accepts(0.0));
    CHECK_FALSE(scale.accepts(std::numeric_limits<double>::infinity()));
}

TEST_CASE("values far above the median are bent, in order and invertibly")
{
    std::vector<double> const values{1, 2, 3, 10, 20};
    attune::objective_options plain{.logarithm = false};
    objective_scale const bent{values, plain};
    // median 3, best 1: the knee is at 5; 10 counts as 5 + 0.3 * 5, 20 as 5 + 0.3 * 15
    double const unit = bent.to_model(2) - bent.to_model(1);
    CHECK(bent.to_model(5) - bent.to_model(1) == doctest::Approx(4 * unit));
    CHECK(bent.to_model(10) - bent.to_model(5) == doctest::Approx(1.5 * unit));
    CHECK(bent.to_model(20) - bent.to_model(10) == doctest::Approx(3 * unit));
    for (double const v : {0.5, 4.9, 5.1, 300.0})
        CHECK(bent.from_model(bent.to_model(v)) == doctest::Approx(v));
    plain.bend_spans = std::numeric_limits<double>::infinity();
    objective_scale const straight{values, plain};
    CHECK(straight.to_model(20) - straight.to_model(10) ==
          doctest::Approx(10 * (straight.to_model(2) - straight.to_model(1))));
}

TEST_CASE("an interval becomes a variance in model units")
{
    objective_scale const scale{std::vector<double>{1.0, 10.0, 100.0, 1000.0}};
    double const deviation = std::log(10.0) * std::sqrt(5.0 / 3.0); // of the logarithms
    // +-1.96 standard errors of 1 % around 10
    double const low = 10 * std::exp(-1.96 * 0.01);
    double const high = 10 * std::exp(1.96 * 0.01);
    CHECK(std::sqrt(scale.variance_of(10, low, high)) == doctest::Approx(0.01 / deviation));
    CHECK(scale.variance_of(10, 10, 10) == 0);
    CHECK(scale.variance_of(10, 11, 12) == 0); // does not hold the value
    CHECK(scale.variance_of(10, 0, 20) == 0);  // no logarithm
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

TEST_CASE("a unit that is given takes the place of the deviation, of logarithms alone")
{
    attune::objective_options const options{.unit = 0.5};
    std::vector<double> const values{1.0, 1.01, 1.02};
    objective_scale const scale{values, options};
    CHECK(scale.unit() == 0.5);
    CHECK(scale.to_model(2.0) - scale.to_model(1.0) < 2 * std::log(2.0)); // bent
    CHECK(scale.to_model(1.01) - scale.to_model(1.0) == doctest::Approx(2 * std::log(1.01)));
    CHECK(scale.from_model(scale.to_model(3.0)) == doctest::Approx(3.0));
    std::vector<double> const negative{-1.0, 1.0};
    CHECK(objective_scale(negative, options).unit() == doctest::Approx(std::sqrt(2.0)));
}

TEST_CASE("without logarithm and bend, values are only shifted and scaled")
{
    attune::objective_options const plain{.logarithm = false,
                                          .bend_spans = std::numeric_limits<double>::infinity()};
    std::vector<double> const values{1, 2, 3, 1000};
    attune::detail::objective_scale const scale{values, plain};
    double const step = scale.to_model(2) - scale.to_model(1);
    CHECK(scale.to_model(1000) - scale.to_model(3) == doctest::Approx(997 * step));
}
