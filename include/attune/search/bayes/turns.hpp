// attune/search/bayes/turns.hpp - which acquisition function chooses, and how much it explores.
// SPDX-License-Identifier: MIT
// Source   Willemsen et al. 2021 Sec. III-F and III-G; the rules are in search/acquisition/
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/acquisition/advanced_multi.hpp>
#include <attune/search/bayes/acquisition/contextual_variance.hpp>
#include <attune/search/bayes/acquisition/multi.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/choice.hpp>

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// One acquisition function, or several that take turns.
class acquisition_turns {
public:
    /// @param rule         which
    /// @param exploration  see bayesian_options
    /// @param contextual   see bayesian_options
    acquisition_turns(acquisition_rule rule, double exploration, bool contextual)
        : exploration_(exploration)
        , is_contextual_(contextual)
    {
        switch (rule) {
        case acquisition_rule::expected_improvement:
            rule_ = acquisition::expected_improvement;
            break;
        case acquisition_rule::probability_of_improvement:
            rule_ = acquisition::probability_of_improvement;
            break;
        case acquisition_rule::lower_confidence_bound:
            rule_ = acquisition::lower_confidence_bound;
            break;
        case acquisition_rule::multi:
            rule_ = multi_acquisition{};
            break;
        case acquisition_rule::advanced_multi:
            rule_ = advanced_multi_acquisition{};
            break;
        }
    }

    /// How the improvement over the initial design is judged, where exploration is contextual.
    struct improvement {
        double mean_of_values = 0; ///< of those that worked, in their own unit
        double best = 0;           ///< lowest of them
    };

    /// At most `count` rows, best first, by the function whose turn it is.
    [[nodiscard]] std::vector<scored_row>
    choose(scored_candidates candidates, std::size_t count, improvement const& so_far)
    {
        candidates.context.exploration = explore(candidates, so_far);
        if (auto const* const one = std::get_if<acquisition>(&rule_)) {
            candidates.which = *one;
            return best_rows(candidates, count);
        }
        auto const with = [&](acquisition which) {
            candidates.which = which;
            return best_rows(candidates, count);
        };
        if (auto* const several = std::get_if<multi_acquisition>(&rule_)) {
            std::vector<std::size_t> const members = several->portfolio().active();
            std::vector<std::vector<scored_row>> rows;
            std::vector<std::size_t> preferred;
            for (std::size_t const m : members) {
                rows.push_back(with(several->portfolio().which(m)));
                if (rows.back().empty()) return {};
                preferred.push_back(rows.back().front().row);
            }
            several->prefer(preferred);
            turn_ = several->take_turn();
            for (std::size_t i = 0; i < members.size(); ++i)
                if (members[i] == *turn_) return rows[i];
            return rows.front();
        }
        auto& advanced = std::get<advanced_multi_acquisition>(rule_);
        turn_ = advanced.take_turn();
        return with(advanced.portfolio().which(*turn_));
    }

    /// `p` was taken from what the last choose() gave.
    void chose(point const& p)
    {
        if (turn_) chooser_[p] = *std::exchange(turn_, std::nullopt);
    }
    /// @param value  lower is better; for a failure the median of those that worked
    void observe(point const& p, double value)
    {
        auto const by = chooser_.find(p);
        if (by == chooser_.end()) return;
        if (auto* const several = std::get_if<multi_acquisition>(&rule_))
            several->observe(by->second, value);
        else if (auto* const advanced = std::get_if<advanced_multi_acquisition>(&rule_))
            advanced->observe(by->second, value);
        chooser_.erase(by);
    }

private:
    [[nodiscard]] double explore(scored_candidates const& c, improvement const& so_far)
    {
        if (!is_contextual_ || c.variance.empty()) return exploration_;
        double sum = 0;
        double open = 0;
        for (std::size_t i = 0; i < c.open.size(); ++i)
            if (c.open[i] != 0) {
                sum += c.variance[i];
                open += 1;
            }
        double const variance = open > 0 ? sum / open : 0;
        if (!context_) context_.emplace(variance, so_far.mean_of_values);
        return exploration_ + context_->factor(variance, so_far.best);
    }

    std::variant<acquisition, multi_acquisition, advanced_multi_acquisition> rule_;
    double exploration_;
    bool is_contextual_;
    std::optional<contextual_variance> context_;
    std::optional<std::size_t> turn_; ///< the member behind the last choose()
    std::unordered_map<point, std::size_t, point_hash> chooser_;
};

} // namespace attune::inline ATTUNE_ABI
