// attune/search/bayes/acquisition/improvement.hpp - how much better than the best a point may be, and how likely.
// SPDX-License-Identifier: MIT
// Source   expected improvement: Jones, Schonlau, Welch 1998, eq. (15), written for minimisation;
//          noise-free as in BaCO Sec. 3.3: the variance argument is that of f, without the noise of
//          an observation
// Source   probability of improvement: Kushner 1964, written for minimisation; the logarithm far in
//          the tail by the continued fraction of Mills' ratio (Abramowitz & Stegun 26.2.14)
// Source   confidence bounds: Cox & John 1992; Srinivas et al. 2010 (GP-UCB); `exploration` is
//          lambda of Willemsen et al. 2021 Sec. III-C and sqrt(beta) of Srinivas
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

/// The probability that f at one configuration lies below `best`.
///
/// @param mean      posterior mean, in the model's output unit
/// @param variance  posterior variance of f, that unit squared
/// @param best      the value to beat, same unit as `mean`
/// @return  P(f < best), in [0, 1]; 0 or 1 when `variance` is 0
/// @pre     variance >= 0 and all three are finite
/// Cost     O(1), one erfc
[[nodiscard]] inline double probability_of_improvement(double mean, double variance,
                                                       double best) noexcept
{
    if (variance <= 0.0) return mean < best ? 1.0 : 0.0;
    return 0.5 * std::erfc((mean - best) / std::sqrt(2.0 * variance));
}

/// Natural logarithm of probability_of_improvement(), also where that underflows.
///
/// @return  log P(f < best), <= 0; minus infinity when the probability is 0
/// @pre     variance >= 0 and all three are finite
/// Cost     O(1), one erfc and one log; 30 divisions when `best` lies 8 deviations below `mean`
/// Source   Phi(-t) = phi(t) / (t + 1/(t + 2/(t + 3/(t + ...)))): 30 terms give 1e-16 from t = 8 on
[[nodiscard]] inline double log_probability_of_improvement(double mean, double variance,
                                                           double best) noexcept
{
    double const t = variance > 0.0 ? (mean - best) / std::sqrt(variance) : 0.0;
    if (t < 8.0) {
        double const chance = probability_of_improvement(mean, variance, best);
        return chance > 0.0 ? std::log(chance) : -std::numeric_limits<double>::infinity();
    }
    double fraction = t;
    for (int k = 30; k > 0; --k)
        fraction = t + k / fraction;
    return -0.5 * t * t - 0.5 * std::log(2.0 * std::numbers::pi) - std::log(fraction);
}

/// mean - exploration * deviation, same unit as `mean`: an optimistic value of f.
/// @param exploration  in standard deviations, >= 0; 0 is pure exploitation
/// @pre variance >= 0
[[nodiscard]] inline double lower_confidence_bound(double mean, double variance,
                                                   double exploration) noexcept
{
    return mean - exploration * std::sqrt(std::max(variance, 0.0));
}

} // namespace attune::inline ATTUNE_ABI
