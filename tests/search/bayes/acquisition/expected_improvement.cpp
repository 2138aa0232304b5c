// tests/search/bayes/acquisition/expected_improvement.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/expected_improvement.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <numbers>

#include "../../../support/monte_carlo.hpp"

using attune::expected_improvement;
using attune::log_expected_improvement;

namespace {

/// E[max(best - f, 0)] for f ~ N(mean, s^2) by Simpson's rule over (best - f) / s, times e^(z^2 /
/// 2) when z < 0: with f = best - s u the density is exp(-(u - z)^2 / 2), and the factor keeps the
/// integrand representable for every z.
double integrated_scaled(double z)
{
    auto const integrand = [z](double u) {
        return u * std::exp(-0.5 * u * u + u * z) / std::sqrt(2 * std::numbers::pi);
    };
    double const end = z > 0 ? z + 12 : 12;
    int const steps = 400000;
    double const h = end / steps;
    double sum = integrand(0) + integrand(end);
    for (int i = 1; i < steps; ++i)
        sum += integrand(i * h) * (i % 2 == 1 ? 4 : 2);
    return sum * h / 3;
}

} // namespace

TEST_CASE("expected_improvement equals numerical integration")
{
    for (double const mean : {-1.0, 0.0, 0.7})
        for (double const s : {0.1, 1.0, 3.0})
            for (double const best : {-2.0, 0.1, 1.5}) {
                double const z = (best - mean) / s;
                if (std::abs(z) > 6) continue;
                double const want = s * integrated_scaled(z) * std::exp(-0.5 * z * z);
                CHECK(expected_improvement(mean, s * s, best) ==
                      doctest::Approx(want).epsilon(1e-8));
            }
}

TEST_CASE("expected_improvement without variance is the plain improvement")
{
    CHECK(expected_improvement(1.0, 0.0, 3.0) == 2.0);
    CHECK(expected_improvement(3.0, 0.0, 1.0) == 0.0);
    CHECK(log_expected_improvement(1.0, 0.0, 3.0) == doctest::Approx(std::log(2.0)));
    CHECK(log_expected_improvement(3.0, 0.0, 1.0) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("log_expected_improvement equals numerical integration far below underflow")
{
    for (double const z : {2.0, 0.0, -1.0, -5.0, -20.0, -29.9, -30.1, -50.0, -200.0}) {
        double const s = 0.5;
        double const want = std::log(s) + std::log(integrated_scaled(z)) - 0.5 * z * z;
        CHECK(log_expected_improvement(0.0, s * s, z * s) == doctest::Approx(want).epsilon(1e-9));
    }
    CHECK(std::isfinite(log_expected_improvement(1e6, 1e-6, 0.0)));
}

TEST_CASE("log_expected_improvement rises with the variance and falls with the mean")
{
    double last = -std::numeric_limits<double>::infinity();
    for (double mean = 40; mean > -3; mean -= 0.05) {
        double const score = log_expected_improvement(mean, 1.0, 0.0);
        CHECK(score > last);
        last = score;
    }
    CHECK(log_expected_improvement(1.0, 2.0, 0.0) > log_expected_improvement(1.0, 1.0, 0.0));
}

TEST_CASE("expected_improvement agrees with Monte Carlo")
{
    for (double const mean : {-0.5, 0.0, 1.3})
        for (double const variance : {0.04, 1.0, 4.0}) {
            double const best = 0.4;
            monte_carlo::estimate const drawn = monte_carlo::expectation(
                mean, variance, [best](double f) { return f < best ? best - f : 0.0; });
            CHECK(std::abs(expected_improvement(mean, variance, best) - drawn.mean) <
                  4.5 * drawn.error + 1e-6);
        }
}
