// tests/search/bayes/acquisition/contextual.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/contextual.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "../../../laws/acquisition.hpp"

TEST_CASE_TEMPLATE_INVOKE(acquisition_laws, attune::contextual<attune::expected_improvement_rule>,
                          attune::contextual<attune::probability_of_improvement_rule>,
                          attune::contextual<attune::confidence_bound_rule>);

TEST_CASE("contextual exploration fades with the variance that is left")
{
    // Three candidates: the safe improvement, the large one, the one of which least is known.
    std::vector<char> const open{1, 1, 1};
    std::vector<double> const mean{-0.3, 0.5, 1.0};
    std::vector<double> variance{0.0001, 0.25, 9.0};
    attune::contextual<attune::probability_of_improvement_rule> rule;
    auto const first = [&](attune::search_progress const& so_far) {
        attune::scored_candidates const all{open, mean, variance};
        rule.prepare(all, so_far);
        return attune::detail::best_rows(all, 1, rule).front().row;
    };
    CHECK(first({2.0, 2.0}) != 0); // factor 1: -0.3 is not enough
    variance = {0.0001, 0.0002, 0.0003};
    CHECK(first({2.0, 1.0}) == 0);
}

TEST_CASE("a constant exploration is that of the rule, in the unit of the model or of the values")
{
    std::vector<char> const open{1, 1};
    std::vector<double> const mean{-0.3, 0.5};
    std::vector<double> const variance{0.04, 0.25};
    attune::scored_candidates const all{open, mean, variance};
    auto const score = [&](bool in_values, double unit) {
        attune::contextual<attune::expected_improvement_rule> rule({}, 0.5, in_values);
        rule.prepare(all, {3.0, 2.0, unit});
        return rule.score(mean[1], variance[1], -0.1);
    };
    auto const plain = [&](double exploration) {
        return attune::expected_improvement_rule{exploration}.score(mean[1], variance[1], -0.1);
    };
    CHECK(score(false, 4.0) == plain(0.5));
    CHECK(score(true, 4.0) == plain(0.125)); // 0.5 of the values is an eighth of four
    CHECK(score(true, 0.0) == plain(0.5));   // logarithms have no such unit
}

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
