// attune/search/bayes/acquisition/acquisition.hpp - which candidate is worth an evaluation.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/acquisition/confidence_bound.hpp>
#include <attune/search/bayes/acquisition/expected_improvement.hpp>
#include <attune/search/bayes/acquisition/probability_of_improvement.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

namespace attune::inline ATTUNE_ABI {

/// Scores a candidate by what the surrogate expects of it; the highest score is taken.
///
/// score(mean, variance, best): posterior of f at the candidate and the lowest value so far, all
/// standardised; variance >= 0. A lower mean never scores less. Best is the logarithm of a quantity
/// >= 0, because the logarithms of the chance that the candidate works and of the user's weight are
/// added to it.
///
/// Optional members of one that changes with the search:
/// - prepare(scored_candidates, search_progress): before each choice.
/// - chose(point), then observe(point, value): what was chosen and what it gave, lower is better;
///   for a failure the median of what worked.
/// tests/laws/acquisition.hpp checks this.
template <class A>
concept acquisition = std::copy_constructible<A> && requires(A const& a, double x) {
    { a.score(x, x, x) } -> std::convertible_to<double>;
};

/// How good the outcomes are so far, in the unit of the objective.
struct search_progress {
    double mean_of_values = 0; ///< of those that worked
    double best = 0;           ///< lowest of them
};

/// How much better than the best the candidate is on average.
struct expected_improvement_rule {
    /// Lambda of Willemsen et al. 2021 Sec. III-C, >= 0: how far below the best a value must lie to
    /// count, in standard deviations of the values.
    double exploration = 0;

    /// Log EI.  @pre variance >= 0 and everything is finite
    [[nodiscard]] double score(double mean, double variance, double best) const noexcept
    {
        return log_expected_improvement(mean, variance, best - exploration);
    }

    /// Not less than score(), at the price of a division: most candidates can be passed over. log
    /// EI <= log (s phi(z)) = -z^2 / 2 + log s - log(2 pi) / 2 where z <= 0.
    /// @param log_widest  half the logarithm of the largest variance of all candidates
    [[nodiscard]] double
    bound(double mean, double variance, double best, double log_widest) const noexcept
    {
        double const excess = mean - (best - exploration);
        if (excess < 0) return std::numeric_limits<double>::infinity();
        return log_widest - 0.918 - 0.5 * excess * excess / std::max(variance, 1e-300);
    }
};

/// How likely the candidate is better than the best.
struct probability_of_improvement_rule {
    double exploration = 0; ///< as above

    /// Log PI; minus infinity without any chance.
    [[nodiscard]] double score(double mean, double variance, double best) const noexcept
    {
        return log_probability_of_improvement(mean, variance, best - exploration);
    }
};

/// How good the candidate is if all goes well. The score is no logarithm.
struct confidence_bound_rule {
    double exploration = 0; ///< deviations below the mean

    /// The negated lower bound.
    [[nodiscard]] double score(double mean, double variance, double) const noexcept
    {
        return -lower_confidence_bound(mean, variance, exploration);
    }
};

} // namespace attune::inline ATTUNE_ABI
