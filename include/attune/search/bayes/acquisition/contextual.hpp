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

/// `Rule` with its exploration multiplied by contextual_variance::factor() of the open candidates.
template <acquisition Rule>
    requires requires(Rule& r) { r.exploration = 0.0; }
class contextual {
public:
    explicit contextual(Rule rule = {})
        : rule_(rule)
        , base_(rule.exploration)
    {
    }

    void prepare(scored_candidates const& c, search_progress const& so_far)
    {
        rule_.exploration = base_;
        if (c.variance.empty()) return;
        double sum = 0;
        double open = 0;
        for (std::size_t i = 0; i < c.open.size(); ++i)
            if (c.open[i] != 0) {
                sum += c.variance[i];
                open += 1;
            }
        double const variance = open > 0 ? sum / open : 0;
        if (!context_) context_.emplace(variance, so_far.mean_of_values);
        rule_.exploration = base_ + context_->factor(variance, so_far.best);
    }
    [[nodiscard]] double score(double mean, double variance, double best) const noexcept
    {
        return rule_.score(mean, variance, best);
    }

private:
    Rule rule_;
    double base_;
    std::optional<detail::contextual_variance> context_;
};

} // namespace attune::inline ATTUNE_ABI
