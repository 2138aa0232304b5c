// attune/search/bayes/acquisition/acquisition.hpp - how much better than the best a point may be; scores of candidates, and the choice among them.
// SPDX-License-Identifier: MIT
// Source   expected improvement: Jones, Schonlau, Welch 1998, eq. (15), written for minimisation;
//          noise-free as in BaCO Sec. 3.3: the variance argument is that of f, without the noise of
//          an observation
// Source   probability of improvement: Kushner 1964, written for minimisation; the logarithm far in
//          the tail by the continued fraction of Mills' ratio (Abramowitz & Stegun 26.2.14)
// Source   confidence bounds: Cox & John 1992; Srinivas et al. 2010 (GP-UCB); `exploration` is
//          lambda of Willemsen et al. 2021 Sec. III-C and sqrt(beta) of Srinivas
// Source   BaCO Sec. 4.2 (acquisition times probability of feasibility, minimum feasibility);
//          Gardner et al. 2014 (times the probability that each measured constraint is kept); piBO
//          eq. (6) (times the prior to a power); own: the bound that avoids most exact scores
// Source   climb(): BaCO Sec. 3.3 (multi-start local search of the acquisition function)
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/surrogate.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

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

/// The posterior of a bounded quantity. Spans have one entry per candidate.
struct bound_posterior {
    std::span<double const> mean;
    std::span<double const> variance;
    double limit = 0; ///< of the quantity, in units of `mean`: larger values exceed the bound
};

/// The inputs of a score. Spans have one entry per candidate; empty without such a model or prior.
struct scored_candidates {
    std::span<char const> open; ///< 0: not available
    std::span<double const> mean{};
    std::span<double const> variance{};
    std::span<double const> label_mean{};
    std::span<double const> label_variance{};
    std::span<double const> log_weight{};
    double weight_power = 0;      ///< exponent of the user's weights
    double best = 0;              ///< lowest value so far, in units of `mean`
    double feasibility_limit = 0; ///< candidates with a lower chance come last
    /// The chance that a candidate succeeds, from the posterior of its label: feasibility::chance.
    double (*chance)(double mean, double variance) = detail::feasible_probability;
    std::vector<bound_posterior> bounds{};
};

namespace detail {

struct scored_row {
    std::size_t row = 0;
    double score = 0;

    /// Higher scores first, then lower rows.
    [[nodiscard]] friend bool operator<(scored_row const& a, scored_row const& b) noexcept
    {
        return a.score != b.score ? a.score > b.score : a.row < b.row;
    }
};

/// Added to the variance of a bounded quantity, in squared deviations of its values.
inline constexpr double bound_doubt = 1e-3;

/// The chance that a quantity keeps its bound. Source: Gardner et al. 2014, Sec. 3.2
/// @param mean, variance  posterior of the quantity, without noise; variance >= 0
/// @param limit           same unit as `mean`
[[nodiscard]] inline double kept_probability(double mean, double variance, double limit) noexcept
{
    double const z = (limit - mean) / std::sqrt(variance + bound_doubt);
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

/// The chance that candidate `row` succeeds and keeps all bounds; 1 without models.
[[nodiscard]] inline double chance_of(scored_candidates const& c, std::size_t row) noexcept
{
    double out = c.label_mean.empty() ? 1.0 : c.chance(c.label_mean[row], c.label_variance[row]);
    for (bound_posterior const& b : c.bounds)
        out *= kept_probability(b.mean[row], b.variance[row], b.limit);
    return out;
}

/// The score of candidate `row`: acquisition, plus the logarithms of the chance that it succeeds
/// and keeps the bounds, and of the user's weight.
template <acquisition Rule = expected_improvement_rule>
[[nodiscard]] double score_of(scored_candidates const& c, std::size_t row, Rule const& rule = {})
{
    double total = c.mean.empty() ? 0.0 : rule.score(c.mean[row], c.variance[row], c.best);
    if (!c.label_mean.empty() || !c.bounds.empty())
        total += std::log(std::max(chance_of(c, row), 1e-300));
    if (!c.log_weight.empty()) total += c.weight_power * c.log_weight[row];
    return total;
}

/// An upper bound of score_of(); infinite if `Rule` has no bound().
template <class Rule>
class score_bound {
public:
    score_bound(scored_candidates const& c, Rule const& rule)
        : c_(c)
        , rule_(rule)
    {
        double widest = 0;
        if constexpr (has_bound)
            for (double const v : c.variance)
                widest = std::max(widest, v);
        log_widest_ = 0.5 * std::log(std::max(widest, 1e-300));
    }

    [[nodiscard]] double operator()(std::size_t row) const noexcept
    {
        if constexpr (has_bound) {
            if (c_.mean.empty()) return std::numeric_limits<double>::infinity();
            double const out = rule_.bound(c_.mean[row], c_.variance[row], c_.best, log_widest_);
            return c_.log_weight.empty() ? out : out + c_.weight_power * c_.log_weight[row];
        } else {
            return std::numeric_limits<double>::infinity();
        }
    }

private:
    static constexpr bool has_bound =
        requires(Rule const& rule, double x) { rule.bound(x, x, x, x); };

    scored_candidates const& c_;
    Rule const& rule_;
    double log_widest_ = 0;
};

/// At most `count` open rows with the highest scores, best first; at equal scores the lower row.
/// Has rows below the feasibility limit only if no others are open.
/// Cost   one division per candidate, and the exact score of candidates that may be among the best
template <acquisition Rule = expected_improvement_rule>
[[nodiscard]] std::vector<scored_row> best_rows(scored_candidates const& c, std::size_t count,
                                                Rule const& rule = {})
{
    score_bound<Rule> const bound(c, rule);
    std::vector<scored_row> out; // a heap, the worst first
    for (std::size_t row = 0; row < c.open.size(); ++row) {
        if (c.open[row] == 0) continue;
        bool const full = out.size() == count;
        if (full && bound(row) <= out.front().score) continue;
        if (c.feasibility_limit > 0 && chance_of(c, row) < c.feasibility_limit) continue;
        scored_row const next{row, score_of(c, row, rule)};
        if (full && !(next < out.front())) continue;
        if (full) {
            std::pop_heap(out.begin(), out.end());
            out.back() = next;
        } else {
            out.push_back(next);
        }
        std::push_heap(out.begin(), out.end());
    }
    if (out.empty() && c.feasibility_limit > 0) {
        scored_candidates without = c;
        without.feasibility_limit = 0;
        return best_rows(without, count, rule);
    }
    std::sort_heap(out.begin(), out.end());
    return out;
}

/// Each round adds the neighbours of the `starts` best rows to the candidates, if not added before;
/// ends if there are none to add.
/// Cost    per round: predictions for some tens of candidates per start
/// @tparam Models  search_models<...>
template <class Models>
void climb(Models& models, chain_of_trees const& space, std::size_t told, double best,
           std::size_t starts, int rounds)
{
    for (int round = 0; round < rounds; ++round) {
        std::vector<point> offered;
        for (scored_row const& r : best_rows(models.view(told, best), starts)) {
            if (!models.expand(r.row)) continue;
            for (point& p : space.neighbours(models.rows().at(r.row)))
                offered.push_back(std::move(p));
        }
        if (offered.empty()) return;
        models.offer(std::move(offered));
    }
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
