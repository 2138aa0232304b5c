// tests/search/bayes/acquisition/acquisition.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/acquisition.hpp>

#include <cmath>
#include <doctest/doctest.h>

#include "../../../laws/acquisition.hpp"
#include "../../../support/minimal_acquisition.hpp"
#include "../../../support/monte_carlo.hpp"

TEST_CASE_TEMPLATE_INVOKE(acquisition_laws, attune::expected_improvement_rule,
                          attune::probability_of_improvement_rule, attune::confidence_bound_rule,
                          minimal_acquisition);

static_assert(!attune::acquisition<int>);

TEST_CASE_TEMPLATE("every score rises with the variance of a mean behind the best", Rule,
                   attune::expected_improvement_rule, attune::probability_of_improvement_rule,
                   attune::confidence_bound_rule)
{
    Rule const rule{0.1};
    CHECK(rule.score(1.0, 2.0, 0.0) > rule.score(1.0, 1.0, 0.0));
    for (double const mean : {-3.0, 0.0, 5.0, 80.0})
        CHECK(rule.score(mean, 1.0, 0.0) > rule.score(mean + 0.5, 1.0, 0.0));
}

TEST_CASE("exploration demands an improvement by so much, as Monte Carlo confirms")
{
    double const exploration = 0.2;
    double const target = 0.3 - exploration;
    monte_carlo::estimate const gain = monte_carlo::expectation(
        0.1, 0.25, [target](double f) { return f < target ? target - f : 0.0; });
    monte_carlo::estimate const chance =
        monte_carlo::expectation(0.1, 0.25, [target](double f) { return f < target ? 1.0 : 0.0; });
    attune::expected_improvement_rule const expected{exploration};
    attune::probability_of_improvement_rule const probable{exploration};
    CHECK(std::abs(std::exp(expected.score(0.1, 0.25, 0.3)) - gain.mean) < 4.5 * gain.error);
    CHECK(std::abs(std::exp(probable.score(0.1, 0.25, 0.3)) - chance.mean) < 4.5 * chance.error);
    CHECK(attune::confidence_bound_rule{0.5}.score(0.1, 0.25, 0.3) ==
          doctest::Approx(-(0.1 - 0.5 * 0.5)));
}

TEST_CASE("the bound of an improvement is never less than its score")
{
    attune::expected_improvement_rule const rule{0.1};
    for (double const variance : {1e-12, 1e-3, 0.4, 2.0})
        for (double mean = -4; mean < 30; mean += 0.25)
            CHECK(rule.bound(mean, variance, 0.0, 0.5 * std::log(2.0)) >=
                  rule.score(mean, variance, 0.0));
}
