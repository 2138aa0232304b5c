// attune/search/bayes/choice.hpp - the candidates with the highest score, and climbs from them.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.2 (acquisition times probability of feasibility, minimum feasibility);
//          Gardner et al. 2014 (times the probability that each measured constraint is kept); piBO
//          eq. (6) (times the prior to a power); own: the bound that avoids most exact scores
// Source   climb(): BaCO Sec. 3.3 (multi-start local search of the acquisition function)
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>
#include <attune/search/bayes/feasibility.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

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
