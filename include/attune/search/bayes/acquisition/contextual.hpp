// attune/search/bayes/acquisition/contextual.hpp - exploration that depends on the remaining variance.
// SPDX-License-Identifier: MIT
// Source   Willemsen et al. 2021 Sec. III-F, after Jasrasaria & Pyzer-Knapp 2018: lambda = (v /
//          (m_s / f_best)) / v_s
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>
#include <attune/search/bayes/choice.hpp>

#include <cmath>
#include <cstddef>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

/// Keeps the model's state after the initial design and compares later states with it.
class contextual_variance {
public:
    /// The constant factor that works well in most cases according to Sec. III-F; used if the ratio
    /// is undefined.
    static constexpr double usual = 0.01;

    /// @param initial_variance  v_s: mean posterior variance over all configurations not evaluated,
    ///                          after the initial design
    /// @param initial_mean      m_s: mean of the successes at that time, in the objective's unit
    contextual_variance(double initial_variance, double initial_mean) noexcept
        : variance_(initial_variance)
        , mean_(initial_mean)
    {
    }

    /// The present factor; it shrinks with the remaining variance and with the best value.
    /// @param variance  present posterior variance, averaged like `initial_variance`
    /// @param best      lowest value so far, in the unit of `initial_mean`, not of the model: the
    ///                  ratio is only meaningful for positive run times
    /// @return  >= 0; `usual` if a value is not positive or not finite, because the formula divides
    ///          by the initial variance and by a value
    [[nodiscard]] double factor(double variance, double best) const noexcept
    {
        double const improvement = mean_ / best;
        double const lambda = variance / improvement / variance_;
        bool const meaningful = variance >= 0 && variance_ > 0 && mean_ > 0 && best > 0;
        return meaningful && std::isfinite(lambda) ? lambda : usual;
    }

private:
    double variance_;
    double mean_;
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// Adds contextual_variance::factor() of the open candidates to the exploration of `Rule`.
template <acquisition Rule>
    requires requires(Rule& r) { r.exploration = 0.0; }
class contextual {
public:
    /// @param constant   replaces the factor
    /// @param in_values  true: the exploration is in the unit of the objective, as in Kernel Tuner,
    ///                   so it depends on the unit of time; false: in the unit of the model.
    ///                   Ignored if the model learns logarithms
    explicit contextual(Rule rule = {}, std::optional<double> constant = {}, bool in_values = false)
        : rule_(rule)
        , base_(rule.exploration)
        , constant_(constant)
        , in_values_(in_values)
    {
    }

    void prepare(scored_candidates const& c, search_progress const& so_far)
    {
        rule_.exploration = base_;
        if (c.variance.empty()) return;
        double const unit = in_values_ && so_far.unit > 0 ? so_far.unit : 1;
        rule_.exploration = (base_ + (constant_ ? *constant_ : factor_of(c, so_far))) / unit;
    }
    [[nodiscard]] double score(double mean, double variance, double best) const noexcept
    {
        return rule_.score(mean, variance, best);
    }

private:
    [[nodiscard]] double factor_of(scored_candidates const& c, search_progress const& so_far)
    {
        double sum = 0;
        double open = 0;
        for (std::size_t i = 0; i < c.open.size(); ++i)
            if (c.open[i] != 0) {
                sum += c.variance[i];
                open += 1;
            }
        double const variance = open > 0 ? sum / open : 0;
        if (!context_) context_.emplace(variance, so_far.mean_of_values);
        return context_->factor(variance, so_far.best);
    }

    Rule rule_;
    double base_;
    std::optional<double> constant_;
    bool in_values_;
    std::optional<detail::contextual_variance> context_;
};

} // namespace attune::inline ATTUNE_ABI
