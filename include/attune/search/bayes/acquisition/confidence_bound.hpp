// attune/search/bayes/acquisition/confidence_bound.hpp - the ends of a point's credible interval.
// SPDX-License-Identifier: MIT
// Source   Cox & John 1992; Srinivas et al. 2010 (GP-UCB); `exploration` is lambda of Willemsen et
//          al. 2021 Sec. III-C and sqrt(beta) of Srinivas
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cmath>

namespace attune::inline ATTUNE_ABI {

/// mean - exploration * deviation, same unit as `mean`: an optimistic value of f.
/// @param exploration  in standard deviations, >= 0; 0 is pure exploitation
/// @pre variance >= 0.  Errors: none; noexcept
[[nodiscard]] inline double lower_confidence_bound(double mean, double variance,
                                                   double exploration) noexcept
{
    return mean - exploration * std::sqrt(std::max(variance, 0.0));
}

/// mean + exploration * deviation: a pessimistic value of f.
/// @pre variance >= 0.  Errors: none; noexcept
[[nodiscard]] inline double upper_confidence_bound(double mean, double variance,
                                                   double exploration) noexcept
{
    return mean + exploration * std::sqrt(std::max(variance, 0.0));
}

} // namespace attune::inline ATTUNE_ABI
