// attune/search/feasibility.hpp - from labels "worked" and "failed" to a chance of working.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       outcomes as labels; the posterior mean of a Gaussian process that regresses them
// Out      a probability of feasibility, and the limit below which a point is not considered
// Source   BaCO Sec. 4.2, hidden constraints: acquisition times probability, and a limit drawn anew
//          in each iteration that is 0 with positive probability. BaCO predicts with a random
//          forest; we regress +1 / -1 by the Gaussian process the search has anyway, because on
//          recorded spaces it fails less often (19 against 31 of 120 evaluations).
// Depends  std only (no Eigen: the model hands over numbers)
// Tests    tests/search/feasibility.cpp
#pragma once

#include <attune/core/random.hpp>

#include <algorithm>

namespace attune {

/// What the labels are measured from: half of the way to "worked", so that where nothing is known a
/// point counts as 0.75 likely to work.
inline constexpr double feasibility_offset = 0.5;

/// The number the model regresses for one outcome.
[[nodiscard]] constexpr double feasibility_label(bool worked) noexcept
{
    return (worked ? 1.0 : -1.0) - feasibility_offset;
}

/// The chance that a configuration works.
///
/// @param mean  posterior mean of feasibility_label() there
/// @return  in [0.01, 1]: a label model is never sure enough to rule a point out
[[nodiscard]] constexpr double feasible_probability(double mean) noexcept
{
    return std::clamp(0.5 + 0.5 * (mean + feasibility_offset), 0.01, 1.0);
}

/// BaCO's minimum feasibility limit for one iteration: 0 with probability 0.2, else uniform in
/// (0, 0.8). A point with a lower feasible_probability() is set aside in this iteration.
[[nodiscard]] constexpr double draw_feasibility_limit(random_engine& engine) noexcept
{
    return std::max(0.0, uniform_unit(engine) - 0.2);
}

} // namespace attune
