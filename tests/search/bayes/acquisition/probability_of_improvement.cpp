// tests/search/bayes/acquisition/probability_of_improvement.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/probability_of_improvement.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <numbers>

#include "../../../support/monte_carlo.hpp"

using attune::log_probability_of_improvement;
using attune::probability_of_improvement;

namespace {

/// log P(z > t) for a standard normal z and t > 0 by Simpson's rule on exp(-u t - u^2 / 2), the
/// density less its value at t: representable however large t is.
double log_upper_tail(double t)
{
    auto const integrand = [t](double u) { return std::exp(-u * t - 0.5 * u * u); };
    int const steps = 400000;
    double const h = 12.0 / (1 + t) * 4 / steps;
    double sum = integrand(0) + integrand(h * steps);
    for (int i = 1; i < steps; ++i)
        sum += integrand(i * h) * (i % 2 == 1 ? 4 : 2);
    return -0.5 * t * t - 0.5 * std::log(2 * std::numbers::pi) + std::log(sum * h / 3);
}

} // namespace

TEST_CASE("probability_of_improvement agrees with Monte Carlo")
{
    for (double const mean : {-0.5, 0.0, 1.3})
        for (double const variance : {0.04, 1.0, 4.0}) {
            double const best = 0.4;
            monte_carlo::estimate const drawn = monte_carlo::expectation(
                mean, variance, [best](double f) { return f < best ? 1.0 : 0.0; });
            CHECK(std::abs(probability_of_improvement(mean, variance, best) - drawn.mean) <
                  4.5 * drawn.error + 1e-5);
        }
}

TEST_CASE("probability_of_improvement without variance is certain")
{
    CHECK(probability_of_improvement(1.0, 0.0, 3.0) == 1.0);
    CHECK(probability_of_improvement(3.0, 0.0, 1.0) == 0.0);
    CHECK(log_probability_of_improvement(1.0, 0.0, 3.0) == 0.0);
    CHECK(log_probability_of_improvement(3.0, 0.0, 1.0) ==
          -std::numeric_limits<double>::infinity());
}

TEST_CASE("log_probability_of_improvement equals numerical integration far below underflow")
{
    for (double const t : {0.5, 3.0, 7.9, 8.1, 20.0, 60.0, 300.0})
        CHECK(log_probability_of_improvement(t, 1.0, 0.0) ==
              doctest::Approx(log_upper_tail(t)).epsilon(1e-9));
    CHECK(log_probability_of_improvement(-2.0, 4.0, 0.0) ==
          doctest::Approx(std::log(1 - std::exp(log_upper_tail(1.0)))).epsilon(1e-9));
}

TEST_CASE("log_probability_of_improvement falls with the mean without a jump between its forms")
{
    double last = 0;
    for (double t = 7.5; t < 8.5; t += 0.001) {
        double const now = log_probability_of_improvement(t, 1.0, 0.0);
        CHECK(now < last);
        if (t > 7.5) CHECK(last - now < 0.009);
        last = now;
    }
}
