// attune/search/bayes/acquisition/acquisition.hpp - one signature for every acquisition function.
// SPDX-License-Identifier: MIT
//
// What the functions are is said in their headers
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/acquisition/confidence_bound.hpp>
#include <attune/search/bayes/acquisition/expected_improvement.hpp>
#include <attune/search/bayes/acquisition/probability_of_improvement.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// How the next configuration is chosen from what the model expects of each.
enum class acquisition : std::uint8_t {
    expected_improvement,       ///< how much better than the best, on average
    probability_of_improvement, ///< how likely better than the best
    lower_confidence_bound,     ///< how good, if all goes well
};

/// What a score needs besides the posterior at the configuration.
struct acquisition_context {
    /// Lambda of Willemsen et al. 2021 Sec. III-C, >= 0. For the two improvements: how far below
    /// the best a value must lie to count, in units of `scale`. For the bound: in deviations.
    double exploration = 0;
    /// One unit of `exploration` for the improvements, in the model's output unit; 1 where the
    /// values are standardised.
    double scale = 1;
};

/// Whether the score is the logarithm of something >= 0, so that logarithms of other factors - the
/// probability of feasibility, a user's prior - are added to it.
[[nodiscard]] constexpr bool is_logarithmic(acquisition which) noexcept
{
    return which != acquisition::lower_confidence_bound;
}

/// The score of one configuration under `which`, higher is better.
///
/// @param mean      posterior mean, in the model's output unit
/// @param variance  posterior variance of f, that unit squared
/// @param best      lowest value so far, same unit as `mean`
/// @return  log EI, log PI (minus infinity without any chance), or the negated lower bound
/// @pre     variance >= 0 and everything is finite
/// Errors   none; noexcept
[[nodiscard]] inline double score(acquisition which,
                                  double mean,
                                  double variance,
                                  double best,
                                  acquisition_context const& context = {}) noexcept
{
    double const target = best - context.exploration * context.scale;
    switch (which) {
    case acquisition::expected_improvement:
        return log_expected_improvement(mean, variance, target);
    case acquisition::probability_of_improvement:
        return log_probability_of_improvement(mean, variance, target);
    case acquisition::lower_confidence_bound:
        break;
    }
    return -lower_confidence_bound(mean, variance, context.exploration);
}

} // namespace attune::inline ATTUNE_ABI
