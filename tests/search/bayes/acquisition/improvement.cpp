// tests/search/bayes/acquisition/improvement.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/improvement.hpp>

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

using attune::lower_confidence_bound;

TEST_CASE("a bound leaves the share of a normal distribution outside that its deviations say")
{
    for (double const exploration : {0.0, 0.5, 1.0, 2.0}) {
        double const outside = 0.5 * std::erfc(exploration / std::sqrt(2.0));
        double const low = lower_confidence_bound(1.5, 0.49, exploration);
        monte_carlo::estimate const below =
            monte_carlo::expectation(1.5, 0.49, [low](double f) { return f < low ? 1.0 : 0.0; });
        CHECK(std::abs(below.mean - outside) < 4.5 * below.error);
    }
}

TEST_CASE("without exploration or variance the bound is the mean")
{
    CHECK(lower_confidence_bound(2.0, 9.0, 0.0) == 2.0);
    CHECK(lower_confidence_bound(2.0, -1e-18, 3.0) == 2.0); // rounding error of a posterior
    CHECK(lower_confidence_bound(2.0, 9.0, 2.0) == -4.0);
}
