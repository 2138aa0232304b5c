// tests/search/bayes/acquisition/acquisition.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/acquisition.hpp>

#include <cmath>
#include <doctest/doctest.h>

#include "../../../support/monte_carlo.hpp"

using attune::acquisition;
using attune::score;

namespace {

constexpr acquisition all[] = {acquisition::expected_improvement,
                               acquisition::probability_of_improvement,
                               acquisition::lower_confidence_bound};

}

TEST_CASE("every score rises as the mean falls, far from the best as well")
{
    for (acquisition const which : all)
        for (double const mean : {-3.0, 0.0, 5.0, 80.0})
            CHECK(score(which, mean, 1.0, 0.0, {0.1, 1.0}) >
                  score(which, mean + 0.5, 1.0, 0.0, {0.1, 1.0}));
}

TEST_CASE("every score rises with the variance of a mean behind the best")
{
    for (acquisition const which : all)
        CHECK(score(which, 1.0, 2.0, 0.0, {0.1, 1.0}) > score(which, 1.0, 1.0, 0.0, {0.1, 1.0}));
}

TEST_CASE("exploration demands an improvement by so many units, as Monte Carlo confirms")
{
    attune::acquisition_context const context{0.5, 0.4};
    double const target = 0.3 - 0.5 * 0.4;
    monte_carlo::estimate const gain = monte_carlo::expectation(
        0.1, 0.25, [target](double f) { return f < target ? target - f : 0.0; });
    monte_carlo::estimate const chance =
        monte_carlo::expectation(0.1, 0.25, [target](double f) { return f < target ? 1.0 : 0.0; });
    CHECK(std::abs(std::exp(score(acquisition::expected_improvement, 0.1, 0.25, 0.3, context)) -
                   gain.mean) < 4.5 * gain.error);
    CHECK(
        std::abs(std::exp(score(acquisition::probability_of_improvement, 0.1, 0.25, 0.3, context)) -
                 chance.mean) < 4.5 * chance.error);
    CHECK(score(acquisition::lower_confidence_bound, 0.1, 0.25, 0.3, context) ==
          doctest::Approx(-(0.1 - 0.5 * 0.5)));
}

TEST_CASE("only scores of quantities that are never negative are logarithms")
{
    CHECK(is_logarithmic(acquisition::expected_improvement));
    CHECK(is_logarithmic(acquisition::probability_of_improvement));
    CHECK_FALSE(is_logarithmic(acquisition::lower_confidence_bound));
}
