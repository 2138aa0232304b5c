// tests/support/monte_carlo.hpp : normal samples, to check closed forms against
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace monte_carlo {

/// A mean over samples and its standard error.
struct estimate {
    double mean = 0;
    double error = 0;
};

/// E[function(f)] for f ~ N(mean, variance), by Box-Muller from a fixed seed.
template <class Function>
estimate expectation(double mean, double variance, Function const& function, std::uint64_t seed = 1)
{
    attune::random_engine engine(seed);
    constexpr int pairs = 200'000;
    double sum = 0;
    double squares = 0;
    auto const add = [&](double z) {
        double const y = function(mean + std::sqrt(variance) * z);
        sum += y;
        squares += y * y;
    };
    for (int i = 0; i < pairs; ++i) {
        double const radius = std::sqrt(-2 * std::log(1 - attune::uniform_unit(engine)));
        double const angle = 2 * std::numbers::pi * attune::uniform_unit(engine);
        add(radius * std::cos(angle));
        add(radius * std::sin(angle));
    }
    constexpr double n = 2.0 * pairs;
    estimate out;
    out.mean = sum / n;
    out.error = std::sqrt((squares / n - out.mean * out.mean) / n);
    return out;
}

} // namespace monte_carlo
