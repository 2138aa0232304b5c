// attune/search/bayes/model/bound_models.hpp - a model of each quantity that has a bound.
// SPDX-License-Identifier: MIT
// Source   Gardner, Kusner, Xu, Weinberger, Cunningham, "Bayesian optimization with inequality
//          constraints", ICML 2014: a process per constraint, expected improvement over the best
//          that keeps all, times the probability that all are kept; before the first that does,
//          that probability alone. BaCO Sec. 4.2 has the same product for hidden constraints. Own:
//          what is learnt is the excess over the bound (excess_over()), bent where it is large, so
//          that the process is most exact at the border
// Bench    bench/search/bounded.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/bound_history.hpp>
#include <attune/search/bayes/candidates.hpp>
#include <attune/search/bayes/choice.hpp>
#include <attune/search/bayes/model/learner.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/objective.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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

    /// Reads what is new.
    /// @param table  () -> the features of all candidates, for a model that begins
    /// @param refit  hyperparameters are fitted again
    template <class Table>
    void update(candidate_rows const& rows, Table const& table, bool refit, random_engine& engine)
    {
        if (bounded_ == nullptr) return;
        for (std::size_t i = 0; i < bounded_->count(); ++i) {
            if (i < models_.size())
                update_one(i, rows, refit, engine);
            else {
                if (bounded_->of(i).worked() == 0) return; // nothing is known of this quantity
                models_.push_back(
                    {learner(features_,
                             learner_options{false, false, options_.memory, options_.memory_limit},
                             make_model<product_surrogate>(features_)),
                     {}});
                models_.back().learnt.model().assign(table());
                update_one(i, rows, true, engine);
            }
        }
    }

    /// Reads everything again at the next update(), because something has changed.
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
        auto const span_of = [](Eigen::ArrayXd const& a) {
            return std::span<double const>(a.data(), static_cast<std::size_t>(a.size()));
        };
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
    std::vector<bounded> models_; ///< of the first bounds, up to one of which nothing is known
};

} // namespace attune::inline ATTUNE_ABI::detail
