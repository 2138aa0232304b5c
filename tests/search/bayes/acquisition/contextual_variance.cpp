// tests/search/bayes/acquisition/contextual_variance.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/contextual_variance.hpp>

#include <doctest/doctest.h>
#include <limits>

using attune::detail::contextual_variance;

TEST_CASE("the factor is 1 as long as nothing changed since the initial design")
{
    contextual_variance const context(0.8, 12.0);
    CHECK(context.factor(0.8, 12.0) == doctest::Approx(1.0));
}

TEST_CASE("the factor shrinks with the variance and with the best value")
{
    contextual_variance const context(0.8, 12.0);
    CHECK(context.factor(0.4, 12.0) == doctest::Approx(0.5));
    CHECK(context.factor(0.8, 3.0) == doctest::Approx(0.25));
    CHECK(context.factor(0.2, 6.0) == doctest::Approx(0.125));
    CHECK(context.factor(0.0, 6.0) == 0.0);
}

TEST_CASE("the factor does not depend on the unit of time")
{
    CHECK(contextual_variance(0.8, 12e-3).factor(0.3, 5e-3) ==
          doctest::Approx(contextual_variance(0.8, 12.0).factor(0.3, 5.0)));
}

TEST_CASE("where the ratio has no meaning the factor is the usual one")
{
    double const usual = contextual_variance::usual;
    CHECK(contextual_variance(0.0, 12.0).factor(0.3, 5.0) == usual);
    CHECK(contextual_variance(0.8, -1.0).factor(0.3, 5.0) == usual);
    CHECK(contextual_variance(0.8, 12.0).factor(0.3, 0.0) == usual);
    CHECK(contextual_variance(0.8, 12.0).factor(0.3, std::numeric_limits<double>::infinity()) ==
          usual);
}
