// attune/search/bayes/acquisition/acquisition.hpp - scores of candidates.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/acquisition/improvement.hpp>

#include <algorithm>
#include <concepts>
#include <limits>

namespace attune::inline ATTUNE_ABI {

/// Scores a candidate by its posterior; the candidate with the highest score is evaluated next.
///
/// score(mean, variance, best): posterior of f at the candidate and the lowest value so far, all
/// standardised; variance >= 0. A lower mean never scores lower. The score should be the logarithm
/// of a quantity >= 0: the search adds the logarithms of the chance of success and of the user's
/// weight.
///
/// Optional members of an acquisition that changes during the search:
/// - prepare(scored_candidates, search_progress): before each choice.
/// - chose(point): the chosen point; then observe(point, value): its value, lower is better; for a
///   failure the median of the successful values.
/// tests/laws/acquisition.hpp checks this.
template <class A>
concept acquisition = std::copy_constructible<A> && requires(A const& a, double x) {
    { a.score(x, x, x) } -> std::convertible_to<double>;
};

/// Values so far, in the unit of the objective.
struct search_progress {
    double mean_of_values = 0; ///< of the successful points
    double best = 0;           ///< lowest of these values
    /// Unit of a score's arguments, in the unit of the values; 0: arguments are logarithms.
    double unit = 0;
};

/// Expected improvement over the best.
struct expected_improvement_rule {
    /// Lambda of Willemsen et al. 2021 Sec. III-C, >= 0: only values this many standard deviations
    /// below the best count as improvement.
    double exploration = 0;

    /// Log EI.  @pre variance >= 0 and everything is finite
    [[nodiscard]] double score(double mean, double variance, double best) const noexcept
    {
        return log_expected_improvement(mean, variance, best - exploration);
    }

    /// An upper bound of score() that costs one division; it rejects most candidates without
    /// score(). log EI <= log (s phi(z)) = -z^2 / 2 + log s - log(2 pi) / 2 where z <= 0.
    /// @param log_widest  half the logarithm of the largest variance of all candidates
    [[nodiscard]] double bound(double mean, double variance, double best,
                               double log_widest) const noexcept
    {
        double const excess = mean - (best - exploration);
        if (excess < 0) return std::numeric_limits<double>::infinity();
        return log_widest - 0.918 - 0.5 * excess * excess / std::max(variance, 1e-300);
    }
};

/// Probability that the candidate is better than the best.
struct probability_of_improvement_rule {
    double exploration = 0; ///< as in expected_improvement_rule

    /// Log PI; minus infinity for probability 0.
    [[nodiscard]] double score(double mean, double variance, double best) const noexcept
    {
        return log_probability_of_improvement(mean, variance, best - exploration);
    }
};

/// Lower end of the candidate's credible interval. The score is not a logarithm.
struct confidence_bound_rule {
    double exploration = 0; ///< deviations below the mean

    /// The negated lower bound.
    [[nodiscard]] double score(double mean, double variance, double) const noexcept
    {
        return -lower_confidence_bound(mean, variance, exploration);
    }
};

} // namespace attune::inline ATTUNE_ABI
