// tests/search/bayes/surrogate.cpp : mirrors include/attune/search/bayes/surrogate.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/surrogate.hpp>

#include <cmath>
#include <doctest/doctest.h>

#include "../../laws/feasibility.hpp"
#include "../../support/minimal_feasibility.hpp"

TEST_CASE_TEMPLATE_INVOKE(feasibility_laws, minimal_feasibility,
                          attune::label_regression<minimal_surrogate>);

static_assert(!attune::feasibility<attune::no_feasibility>);

using attune::detail::feasible_probability;

TEST_CASE("what surely worked is likely, what surely failed is not, the unknown is hopeful")
{
    CHECK(feasible_probability(attune::detail::feasibility_label(true), 0) > 0.99);
    CHECK(feasible_probability(attune::detail::feasibility_label(false), 0) < 0.01);
    double const unknown = feasible_probability(0, 1);
    CHECK(unknown > 0.6);
    CHECK(unknown < 0.8);
    CHECK(feasible_probability(-attune::detail::feasibility_offset, 0.3) == doctest::Approx(0.5));
}

TEST_CASE("the less is known of a point, the less extreme its chance")
{
    for (double const mean : {-1.5, -0.8, 0.0, 0.5}) {
        double const sure = feasible_probability(mean, 0.01);
        double const unsure = feasible_probability(mean, 0.5);
        CHECK((sure - 0.5) * (unsure - 0.5) > 0);
        CHECK(std::abs(sure - 0.5) > std::abs(unsure - 0.5));
    }
}

TEST_CASE("the chance is that of a normal number with the doubt added to its variance")
{
    // P(N(0.25, 0.4 + 0.1) > -0.5) = Phi(0.75 / sqrt(0.5)) = Phi(1.06066)
    CHECK(feasible_probability(0.25, 0.4) == doctest::Approx(0.855573).epsilon(1e-5));
}

TEST_CASE("the feasibility limit is 0 one time in five and otherwise uniform below 0.8")
{
    attune::random_engine engine(1);
    int const draws = 20000;
    int zeros = 0;
    double sum = 0;
    for (int i = 0; i < draws; ++i) {
        double const limit = attune::detail::draw_feasibility_limit(engine);
        CHECK(limit >= 0.0);
        CHECK(limit < 0.8);
        zeros += limit == 0.0 ? 1 : 0;
        sum += limit;
    }
    CHECK(zeros / double{draws} == doctest::Approx(0.2).epsilon(0.05)); // 3.5 standard errors
    CHECK(sum / draws == doctest::Approx(0.8 * 0.4).epsilon(0.025));    // 4 standard errors
}
