// tests/search/feasibility.cpp : mirrors include/attune/search/feasibility.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/feasibility.hpp>

#include <doctest/doctest.h>

TEST_CASE("feasible_probability is 1 at a success, least at a failure and hopeful in between")
{
    CHECK(attune::feasible_probability(attune::feasibility_label(true)) == 1.0);
    CHECK(attune::feasible_probability(attune::feasibility_label(false)) == 0.01);
    CHECK(attune::feasible_probability(0.0) == doctest::Approx(0.75));
    CHECK(attune::feasible_probability(-100.0) == 0.01);
    CHECK(attune::feasible_probability(100.0) == 1.0);
}

TEST_CASE("the feasibility limit is 0 one time in five and otherwise uniform below 0.8")
{
    attune::random_engine engine(1);
    int const draws = 20000;
    int zeros = 0;
    double sum = 0;
    for (int i = 0; i < draws; ++i) {
        double const limit = attune::draw_feasibility_limit(engine);
        CHECK(limit >= 0.0);
        CHECK(limit < 0.8);
        zeros += limit == 0.0 ? 1 : 0;
        sum += limit;
    }
    CHECK(zeros / double{draws} == doctest::Approx(0.2).epsilon(0.05)); // 3.5 standard errors
    CHECK(sum / draws == doctest::Approx(0.8 * 0.4).epsilon(0.025));    // 4 standard errors
}
