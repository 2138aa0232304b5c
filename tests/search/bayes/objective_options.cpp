// tests/search/bayes/objective_options.cpp - how measured values are bent before they are modelled.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/objective_options.hpp>

#include <attune/search/bayes/objective.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <vector>

TEST_CASE("without logarithm and bend, values are only shifted and scaled")
{
    attune::objective_options plain;
    plain.logarithm = false;
    plain.bend_spans = std::numeric_limits<double>::infinity();
    std::vector<double> const values{1, 2, 3, 1000};
    attune::detail::objective_scale const scale{values, plain};
    double const step = scale.to_model(2) - scale.to_model(1);
    CHECK(scale.to_model(1000) - scale.to_model(3) == doctest::Approx(997 * step));
}
