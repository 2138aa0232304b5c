// attune/search/bayes/acquisition/probability_of_improvement.hpp - probability of improvement and its logarithm.
// SPDX-License-Identifier: MIT
// Source   Kushner 1964, written for minimisation; the logarithm far in the tail by the continued
//          fraction of Mills' ratio (Abramowitz & Stegun 26.2.14)
#pragma once

#include <attune/core/version.hpp>

#include <cmath>
#include <limits>
#include <numbers>

namespace attune::inline ATTUNE_ABI {

/// The probability that f at one configuration lies below `best`.
///
/// @param mean      posterior mean, in the model's output unit
/// @param variance  posterior variance of f, that unit squared
/// @param best      the value to beat, same unit as `mean`
/// @return  P(f < best), in [0, 1]; 0 or 1 when `variance` is 0
/// @pre     variance >= 0 and all three are finite
/// Errors   none; noexcept
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
/// Errors   none; noexcept
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

} // namespace attune::inline ATTUNE_ABI
