// tests/search/bayes/user_prior.cpp : mirrors include/attune/search/bayes/user_prior.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/user_prior.hpp>

#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>

#include <cmath>
#include <doctest/doctest.h>

#include "../../support/search_spaces.hpp"

TEST_CASE("user_prior multiplies the weights of the values")
{
    attune::description d;
    d.parameters = {search_spaces::ordinal("a", {1, 2, 4}), search_spaces::ordinal("b", {1, 2}),
                    search_spaces::ordinal("c", {1, 2})};
    CHECK(attune::detail::user_prior(d).is_flat());
    d.parameters[0].prior.weights = {1, 5, 2};
    d.parameters[2].prior.weights = {3, 0};
    attune::detail::user_prior const prior(d);
    CHECK_FALSE(prior.is_flat());
    CHECK(prior.log_weight({{1, 0}, {0, 0}, {0, 0}}) == doctest::Approx(std::log(15.0)));
    CHECK(prior.log_weight({{2, 0}, {1, 0}, {0, 0}}) == doctest::Approx(std::log(6.0)));
    CHECK(std::isfinite(prior.log_weight({{0, 0}, {0, 0}, {1, 0}})));
}

TEST_CASE("user_prior is a normal density on the parameter's scale")
{
    attune::description d;
    d.parameters = {search_spaces::real("u", 1, 100), search_spaces::ordinal("b", {1, 10, 100})};
    d.parameters[0].prior.centre = 10;
    d.parameters[0].prior.deviation = 2;
    attune::detail::user_prior const linear(d);
    CHECK(linear.log_weight({{0, 14.0}, {0, 0}}) == doctest::Approx(-2.0));

    d.parameters[1].on = attune::scale::log;
    d.parameters[1].prior.centre = 10;
    d.parameters[1].prior.deviation = std::log(10.0);
    attune::detail::user_prior const both(d);
    CHECK(both.log_weight({{0, 10.0}, {0, 0}}) == doctest::Approx(-0.5));
    CHECK(both.log_weight({{0, 10.0}, {2, 0}}) == doctest::Approx(-0.5));
    CHECK(both.log_weight({{0, 10.0}, {1, 0}}) == doctest::Approx(0.0));
}

TEST_CASE("an inactive parameter counts as the mean weight of its values")
{
    constexpr auto design = attune::categorical<"DESIGN">("plain", "packed");
    constexpr auto width = attune::ordinal<"WIDTH">(attune::values(1, 2, 4));
    attune::description d = attune::bind_inputs(
        attune::lower(attune::space(design, width.prior(1, 2, 9).active_if(design == "packed"))));
    attune::detail::settle_conditions(d);
    attune::detail::user_prior const prior(d);
    CHECK(prior.log_weight({{0, 0}, {0, 0}}) == doctest::Approx(std::log(4)));
    CHECK(prior.log_weight({{1, 0}, {2, 0}}) == doctest::Approx(std::log(9)));
}
