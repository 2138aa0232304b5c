// attune/search/bayes/acquisition/contextual.hpp - exploration that depends on the remaining variance.
// SPDX-License-Identifier: MIT
// Source   Willemsen et al. 2021 Sec. III-F
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>
#include <attune/search/bayes/acquisition/contextual_variance.hpp>
#include <attune/search/bayes/choice.hpp>

#include <cstddef>
#include <optional>

namespace attune::inline ATTUNE_ABI {

/// `Rule` with contextual_variance::factor() of the open candidates added to its exploration.
template <acquisition Rule>
    requires requires(Rule& r) { r.exploration = 0.0; }
class contextual {
public:
    /// @param constant   instead of the factor
    /// @param in_values  the exploration is in the unit of the objective, as in Kernel Tuner, where
    ///                   it depends on what times are counted in; not in that of the model. Ignored
    ///                   where the model sees logarithms
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
