// attune/search/bayes/feasibility.hpp - the chance that a configuration succeeds, learnt from successes and failures.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.2, hidden constraints: acquisition times probability, and a limit drawn anew
//          in each iteration that is 0 with positive probability. Regression of labels, and the
//          chance that the regressed function is positive: Rasmussen & Williams 2006 Sec. 6.5
//          (probit of a least-squares classifier). Unlike the mean alone, the probability separates
//          a point that surely fails (near failures, low variance) from an unknown one: on recorded
//          kernels a quarter fewer failures than with the mean, for the same results.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/surrogate.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <numbers>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The model's prior mean, 0, is this far above the middle of the labels: without data, a point is
/// more likely to succeed than to fail.
inline constexpr double feasibility_offset = 0.5;
/// Added to the variance of the regressed label, as the least uncertainty of any model.
inline constexpr double feasibility_doubt = 0.1;

/// The label of one outcome.
[[nodiscard]] constexpr double feasibility_label(bool worked) noexcept
{
    return (worked ? 1.0 : -1.0) - feasibility_offset;
}

/// The chance that a configuration succeeds.
///
/// @param mean, variance  posterior of feasibility_label(), without noise; variance >= 0
/// @return  in [0, 1]
[[nodiscard]] inline double feasible_probability(double mean, double variance) noexcept
{
    double const z = (mean + feasibility_offset) / std::sqrt(variance + feasibility_doubt);
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

} // namespace detail

/// Learns which configurations succeed: a surrogate of labels, and the chance from its posterior.
/// - surrogate_type: learns label(true) and label(false).
/// - chance(mean, variance): probability of success, in [0, 1], from the posterior of its label;
///   not 0 for the posterior without data, (0, 1).
/// tests/laws/feasibility.hpp checks this.
template <class F>
concept feasibility = surrogate<typename F::surrogate_type> && requires(bool worked, double x) {
    { F::label(worked) } -> std::convertible_to<double>;
    { F::chance(x, x) } -> std::convertible_to<double>;
};

/// Regresses feasibility_label() with `S`.
template <surrogate S>
struct label_regression {
    using surrogate_type = S;

    [[nodiscard]] static double label(bool worked) noexcept
    {
        return detail::feasibility_label(worked);
    }
    [[nodiscard]] static double chance(double mean, double variance) noexcept
    {
        return detail::feasible_probability(mean, variance);
    }
};

/// Learns nothing: the search only avoids to repeat failed points.
struct no_feasibility {};

namespace detail {

/// BaCO's minimum feasibility limit for one iteration: 0 with probability 0.2, else uniform in (0,
/// 0.8). In this iteration the search skips points with a lower feasible_probability().
[[nodiscard]] constexpr double draw_feasibility_limit(random_engine& engine) noexcept
{
    return std::max(0.0, uniform_unit(engine) - 0.2);
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
