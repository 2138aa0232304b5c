// attune/search/bayes/model/bound_models.hpp - the values and the model of each quantity that has a bound.
// SPDX-License-Identifier: MIT
// Source   Gardner, Kusner, Xu, Weinberger, Cunningham, "Bayesian optimization with inequality
//          constraints", ICML 2014: a process per constraint, expected improvement over the best
//          that keeps all, times the probability that all are kept; before the first such point,
//          that probability alone. BaCO Sec. 4.2 has the same product for hidden constraints. Own:
//          the process learns the excess over the bound (excess_over()), bent where it is large, so
//          that it is most exact at the border
// Bench    bench/search/bounded.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/candidates.hpp>
#include <attune/search/bayes/model/learner.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/objective.hpp>
#include <attune/search/history.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The distance of each configuration's quantities to their bounds. The first configuration sets
/// the number of bounds.
class bound_history {
public:
    /// @param value   of the objective; NaN if not measured
    /// @param excess  one per bound: > 0 beyond it, NaN if unknown. Ignored if the count differs
    ///                from the first call; new numbers of a point replace its old ones
    void tell(point const& p, double value, std::span<double const> excess)
    {
        if (excess.empty()) return;
        if (histories_.empty()) histories_.resize(excess.size());
        if (excess.size() != histories_.size()) return;
        bool is_beyond = false;
        for (std::size_t i = 0; i < excess.size(); ++i) {
            is_beyond = is_beyond || excess[i] > 0;
            if (std::isfinite(excess[i]))
                histories_[i].tell(p, measurement::exact(excess[i]));
            else if (seen_.contains(p)) // it may replace a number
                histories_[i].tell(p, failure{});
        }
        seen_.insert_or_assign(p, entry{value, is_beyond});
    }

    /// Number of bounds; 0 before the first call.
    [[nodiscard]] std::size_t count() const noexcept { return histories_.size(); }
    /// The excesses over bound `i`, as values.
    [[nodiscard]] search_history const& of(std::size_t i) const { return histories_[i]; }
    /// The objective's value of a configuration beyond a bound, NaN if not measured; nothing for
    /// other configurations.
    [[nodiscard]] std::optional<double> value_beyond(point const& p) const
    {
        auto const found = seen_.find(p);
        if (found == seen_.end() || !found->second.is_beyond) return {};
        return found->second.value;
    }

private:
    struct entry {
        double value = 0;
        bool is_beyond = false;
    };

    std::vector<search_history> histories_;
    std::unordered_map<point, entry, point_hash> seen_;
};

/// Valid until `of` changes.
[[nodiscard]] inline std::span<double const> span_of(Eigen::ArrayXd const& of) noexcept
{
    return {of.data(), static_cast<std::size_t>(of.size())};
}

/// The models of all bounded quantities over the candidates of a search.
class bound_models {
public:
    /// @param quantities  must outlive this object; null: there are no bounds
    /// @param options     must outlive this object
    bound_models(bound_history const* quantities, feature_map features,
                 bayesian_options const& options)
        : bounded_(quantities)
        , features_(std::move(features))
        , options_(options)
    {
    }

    /// Reads new numbers.
    /// @param table  () -> the features of all candidates, for a new model
    /// @param refit  hyperparameters are fitted again
    template <class Table>
    void update(candidate_rows const& rows, Table const& table, bool refit, random_engine& engine)
    {
        if (bounded_ == nullptr) return;
        for (std::size_t i = 0; i < bounded_->count(); ++i) {
            if (i < models_.size())
                update_one(i, rows, refit, engine);
            else {
                if (bounded_->of(i).worked() == 0) return; // this quantity has no number yet
                models_.push_back(
                    {learner(features_, learner_options{false, false, options_.memory_limit},
                             make_model<product_surrogate>(features_)),
                     {}});
                models_.back().learnt.model().assign(table());
                update_one(i, rows, true, engine);
            }
        }
    }

    /// Reads everything again at the next update(), because an outcome changed.
    void forget_all() noexcept
    {
        for (bounded& one : models_)
            one.learnt.forget_all();
    }
    /// Replaces the candidates.
    void assign(feature_table const& table, random_engine& engine)
    {
        for (bounded& one : models_) {
            one.learnt.empty(engine);
            one.learnt.model().assign(table);
        }
    }
    void append(feature_table const& added)
    {
        for (bounded& one : models_)
            one.learnt.model().append(added);
    }

    /// Valid until the next change.
    [[nodiscard]] std::vector<bound_posterior> posteriors()
    {
        std::vector<bound_posterior> out;
        for (bounded& one : models_)
            out.push_back({span_of(one.learnt.model().mean()),
                           span_of(one.learnt.model().variance()), one.scale.to_model(0)});
        return out;
    }

private:
    struct bounded {
        learner learnt;
        objective_scale scale{};
    };

    void update_one(std::size_t i, candidate_rows const& rows, bool refit, random_engine& engine)
    {
        bounded& one = models_[i];
        search_history const& history = bounded_->of(i);
        if (refit) {
            std::vector<double> values;
            for (observation const& o : history.told())
                if (o.worked) values.push_back(o.value);
            one.scale = objective_scale(values, {.logarithm = false});
        }
        one.learnt.update(
            history, rows,
            [&](observation const& o) { return learnt_value{one.scale.to_model(o.value), 0}; },
            refit, engine);
    }

    bound_history const* bounded_;
    feature_map features_;
    bayesian_options const& options_;
    std::vector<bounded> models_; ///< of the first bounds, up to the first without a number
};

} // namespace attune::inline ATTUNE_ABI::detail
