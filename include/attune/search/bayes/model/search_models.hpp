// attune/search/bayes/model/search_models.hpp - the candidates and the models of a search.
// SPDX-License-Identifier: MIT
//
// Two models learn each failure: of the objective, unless surrogate_sees_failures is off, and of
// failures. For the first one a failure is a value slower than four fifths of the successes, which
// fits no hyperparameters. Without this value, predictions for a failing region would never get
// worse, and the search would spend late evaluations there. A configuration beyond a bound is a
// success: the first model learns its value, if measured, and the second one the success. A model
// of each bounded quantity learns the border.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/candidates.hpp>
#include <attune/search/bayes/design.hpp>
#include <attune/search/bayes/model/bound_models.hpp>
#include <attune/search/bayes/model/code_metric_features.hpp>
#include <attune/search/bayes/model/learner.hpp>
#include <attune/search/bayes/model/search_parts.hpp>
#include <attune/search/bayes/objective.hpp>
#include <attune/search/bayes/surrogate.hpp>
#include <attune/search/history.hpp>
#include <attune/search/transfer/warm_start.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// All models over one set of candidates.
class search_models {
public:
    /// All arguments must outlive this object.
    /// @param metrics   of the built points; null: none
    /// @param known     models of other sessions; null: none
    /// @param parts     makes the models of the objective and of failures
    /// @param bounded   quantities with bounds; null: none
    search_models(unseen_points const& unseen, user_prior const& prior,
                  bayesian_options const& options, search_parts& parts,
                  code_metrics const* metrics = nullptr,
                  std::shared_ptr<warm_start const> known = nullptr,
                  bound_history const* bounded = nullptr)
        : unseen_(unseen)
        , prior_(prior)
        , options_(options)
        , own_features_(unseen.space(), options.features)
        , metric_features_(metrics == nullptr || metrics->count() == 0
                               ? nullptr
                               : std::make_shared<code_metric_features>(own_features_, *metrics))
        , features_(own_features_.with(metric_features_))
        , rows_(unseen, own_features_, prior, options.max_pool)
        , known_(std::move(known))
        , objective_(features_,
                     {options.surrogate_sees_failures, false, options.memory_limit, true},
                     parts.objective(features_, known_))
        , failures_(parts.failures())
        , bounds_(bounded, own_features_, options)
    {
    }

    [[nodiscard]] candidate_rows& rows() noexcept { return rows_; }
    [[nodiscard]] objective_scale const& scale() const noexcept { return scale_; }
    [[nodiscard]] any_model& objective() noexcept { return objective_.model(); }

    /// Updates candidates and models with `history`, which is not empty.
    void update(search_history const& history, random_engine& engine)
    {
        if (read_ == history.told().size()) return;
        read_ = history.told().size();
        bool const refit = is_refit_due(history);
        if (refit) {
            fitted_at_ = history.told().size();
            rescale(history);
            if (metric_features_) metric_features_->learn();
            renew_rows(history, engine);
        }
        has_objective_ = history.worked() > 0;
        if (has_objective_)
            objective_.update(
                history, rows_, [this](observation const& o) { return value_of(o); }, refit,
                engine);
        if (failures_.make != nullptr && history.failed() > 0)
            update_labels(history, refit, engine);
        bounds_.update(
            rows_, [this] { return own_part(objective_.model().table()); }, refit, engine);
    }

    /// Reads all observations again at the next update(), because one changed.
    void forget_all() noexcept
    {
        read_.reset();
        objective_.forget_all();
        if (labels_) labels_->forget_all();
        bounds_.forget_all();
    }

    /// Appends candidates.
    void offer(std::vector<point> points)
    {
        std::size_t const before = rows_.size();
        feature_table added = rows_.offer(std::move(points));
        if (added.points == 0) return;
        if (labels_) labels_->model().append(added);
        bounds_.append(added);
        if (metric_features_) metric_features_->widen(added, rows_, before);
        objective_.model().append(added);
    }

    /// @return  true at the first call for this row; then the caller offers its neighbours
    bool expand(std::size_t row) { return expanded_.insert(row).second; }

    /// Observes `p` until pop_all(); between them only view() may be called.
    /// @param best  lowest value, in model units
    void push(point const& p, double best)
    {
        if (!has_objective_) return;
        objective_.push(p, rows_, best);
        ++pushed_;
    }
    void pop_all()
    {
        for (; pushed_ > 0; --pushed_)
            objective_.model().pop();
    }

    /// The view is valid until the next change. @param best lowest value, in model units
    [[nodiscard]] scored_candidates view(std::size_t told, double best)
    {
        scored_candidates out{rows_.open()};
        if (has_objective_) {
            out.mean = span_of(objective_.model().mean());
            out.variance = span_of(objective_.model().variance());
            out.best = best;
        }
        if (labels_) {
            out.label_mean = span_of(labels_->model().mean());
            out.label_variance = span_of(labels_->model().variance());
            out.chance = failures_.chance;
        }
        out.bounds = bounds_.posteriors();
        out.log_weight = rows_.log_weight();
        out.weight_power =
            options_.prior_strength / static_cast<double>(std::max<std::size_t>(told, 1));
        return out;
    }

private:
    /// A search with outcomes of other sessions fits the model after each of this many first
    /// outcomes.
    static constexpr std::size_t fitted_singly = 10;
    /// The value of a failure, as a quantile of the successful values.
    static constexpr double failure_quantile = 0.8;
    /// Number of promising candidates of a sample that stay when it is renewed.
    static constexpr std::size_t kept_candidates = 200;

    /// @pre a point has failed
    void update_labels(search_history const& history, bool refit, random_engine& engine)
    {
        // One fit per step: labels are fitted in the step after the objective.
        bool const is_first = !labels_;
        bool const fit_labels = is_first || (labels_due_ && !refit);
        labels_due_ = !fit_labels && (labels_due_ || refit);
        if (is_first) {
            labels_.emplace(own_features_, learner_options{true, true, options_.memory_limit},
                            failures_.make(own_features_));
            labels_->model().assign(own_part(objective_.model().table()));
        }
        labels_->update(
            history, rows_,
            [this](observation const& o) { return learnt_value{failures_.label(!o.failed()), 0}; },
            fit_labels, engine);
    }

    [[nodiscard]] bool is_refit_due(search_history const& history) const
    {
        std::size_t const told = history.told().size();
        if (!fitted_at_ || (history.worked() > 0 && !has_objective_)) return true;
        double const known = static_cast<double>(std::min(told, options_.memory_limit));
        std::size_t const wait =
            std::max(options_.refit_after, static_cast<std::size_t>(options_.refit_growth * known));
        if (told >= *fitted_at_ + wait) return true;
        bool const is_believing = known_ && options_.warm_start.believe_until > 0;
        if (is_believing && told > *fitted_at_ && told < fitted_singly) return true;
        for (std::size_t i = *fitted_at_; i < told; ++i)
            if (history.told()[i].is_measured() && !scale_.accepts(history.told()[i].value))
                return true;
        return false;
    }

    void rescale(search_history const& history)
    {
        std::vector<double> values;
        for (observation const& o : history.told())
            if (o.is_measured()) values.push_back(o.value);
        if (values.empty()) return;
        scale_ = objective_scale(values, options_.objective);
        auto const place =
            values.begin() +
            static_cast<std::ptrdiff_t>(failure_quantile * static_cast<double>(values.size()));
        std::nth_element(values.begin(), place, values.end());
        failure_value_ = scale_.to_model(*place);
    }

    [[nodiscard]] learnt_value value_of(observation const& o) const
    {
        if (!o.is_measured()) return {failure_value_, 0};
        return {scale_.to_model(o.value), scale_.variance_of(o.value, o.low, o.high)};
    }

    /// Takes the whole space once, or a new sample each time.
    void renew_rows(search_history const& history, random_engine& engine)
    {
        bool const is_long = history.told().size() > options_.memory_limit;
        if (is_long && rows_.takes_whole_space() && rows_.size() > options_.fresh)
            rows_ = candidate_rows(unseen_, own_features_, prior_, options_.fresh);
        if (rows_.takes_whole_space() && rows_.size() > 0) {
            if (metric_features_) assign_objective(objective_.model().table(), engine);
            return;
        }
        if (rows_.takes_whole_space()) {
            assign(rows_.enumerate(), engine);
            return;
        }
        std::vector<point> points;
        if (rows_.size() > 0 && has_objective_)
            for (scored_row const& r :
                 best_rows(view(history.told().size(), scale_.to_model(history.best()->value)),
                           kept_candidates))
                points.push_back(rows_.at(r.row));
        std::size_t const share = is_long ? 4 : 1; // each candidate costs more in long runs
        for (std::size_t const i : history.best_places(options_.around))
            draw_around(unseen_.space(), history.told()[i].where, options_.walks / share, engine,
                        points);
        draw_uniform(unseen_.space(), options_.fresh / share, engine, points);
        rows_.clear();
        assign(rows_.offer(std::move(points)), engine);
    }

    void assign(feature_table table, random_engine& engine)
    {
        expanded_.clear();
        if (labels_) {
            labels_->empty(engine);
            labels_->model().assign(table);
        }
        bounds_.assign(table, engine);
        assign_objective(std::move(table), engine);
    }
    void assign_objective(feature_table table, random_engine& engine)
    {
        objective_.empty(engine);
        if (metric_features_) metric_features_->widen(table, rows_, 0);
        objective_.model().assign(std::move(table));
    }
    [[nodiscard]] feature_table own_part(feature_table table) const
    {
        table.level.resize(own_features_.count());
        table.real.resize(own_features_.count());
        return table;
    }

    unseen_points const& unseen_;
    user_prior const& prior_;
    bayesian_options const& options_;
    feature_map own_features_;                              ///< without code metrics
    std::shared_ptr<code_metric_features> metric_features_; ///< null: none
    feature_map features_; ///< with code metrics, for the objective; not for failures
    candidate_rows rows_;  ///< tables without metrics
    std::shared_ptr<warm_start const> known_; ///< of other sessions; null: none
    learner objective_;
    failure_table failures_;
    bound_models bounds_;
    std::optional<learner> labels_; ///< from the first failure on
    objective_scale scale_;
    double failure_value_ = 0;
    bool has_objective_ = false;
    bool labels_due_ = false;
    std::size_t pushed_ = 0;
    std::unordered_set<std::size_t> expanded_; ///< rows of the present candidates
    std::optional<std::size_t> fitted_at_;     ///< number of outcomes at the last fit
    std::optional<std::size_t> read_;          ///< number of outcomes at the last update()
};

} // namespace attune::inline ATTUNE_ABI::detail
