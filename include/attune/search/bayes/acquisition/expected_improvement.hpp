// attune/search/bayes/acquisition/expected_improvement.hpp - expected improvement and its logarithm.
// SPDX-License-Identifier: MIT
// Source   Jones, Schonlau, Welch 1998, eq. (15), written for minimisation; noise-free as in BaCO
//          Sec. 3.3: the variance handed in is that of f, without the noise of an observation
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace attune::inline ATTUNE_ABI {

/// Expected improvement over `best` at one configuration, for minimisation.
///
/// @param mean      posterior mean, in the model's output unit
/// @param variance  posterior variance of f, that unit squared; not the standard deviation
/// @param best      lowest value so far, same unit as `mean`
/// @return  E[max(best - f, 0)], same unit as `mean`; >= 0; exact when `variance` is 0
/// @pre     variance >= 0 and all three are finite
/// Errors   none; noexcept
/// Cost     O(1), one erfc and one exp
/// Source   Jones et al. 1998 eq. (15); our `variance` is their s^2
[[nodiscard]] inline double expected_improvement(double mean, double variance, double best) noexcept
{
    double const gain = best - mean;
    if (variance <= 0.0) return std::max(gain, 0.0);
    double const s = std::sqrt(variance);
    double const z = gain / s;
    double const density = std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return std::max(gain * 0.5 * std::erfc(-z / std::numbers::sqrt2) + s * density, 0.0);
}

/// Natural logarithm of expected_improvement(), also where that underflows.
///
/// @return  log E[max(best - f, 0)]; minus infinity when the expectation is 0
/// @pre     variance >= 0 and all three are finite
/// Errors   none; noexcept
/// Cost     O(1), one erfc, one exp and two log
/// Source   own arrangement. With z = (best - mean) / s: EI = s (z Phi(z) + phi(z)). The sum loses
///          a factor z^2 of its digits to cancellation, which leaves 1e-12 at z = -30. Below that
///          we sum phi(z) (1/z^2 - 3/z^4 + 15/z^6 - 105/z^8 + 945/z^10), relative error < 2e-11
///          there.
[[nodiscard]] inline double log_expected_improvement(double mean, double variance,
                                                     double best) noexcept
{
    double const gain = best - mean;
    if (variance <= 0.0)
        return gain > 0.0 ? std::log(gain) : -std::numeric_limits<double>::infinity();
    double const s = std::sqrt(variance);
    double const z = gain / s;
    if (z > -30.0) return std::log(expected_improvement(mean, variance, best));
    double const log_density = -0.5 * z * z - 0.5 * std::log(2.0 * std::numbers::pi);
    double const u = 1.0 / (z * z);
    double const series = 1.0 + u * (-3.0 + u * (15.0 + u * (-105.0 + u * 945.0)));
    return std::log(s) + log_density + std::log(u) + std::log(series);
}

} // namespace attune::inline ATTUNE_ABI
