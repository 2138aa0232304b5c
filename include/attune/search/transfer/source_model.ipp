// attune/search/transfer/source_model.ipp - what another session's outcomes say of any configuration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/feasibility.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/objective.hpp>
#include <attune/search/transfer/source_model.hpp>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE source_model::source_model(feature_map const& features,
                                         translated_session const& session,
                                         objective_options const& objective)
    : values_(features, objective_process())
    , first_(features, objective_process())
{
    feature_table all;
    feature_table working;
    std::vector<double> values;
    std::vector<double> labels;
    for (std::size_t i = 0; i < session.where.size(); ++i) {
        features.append(session.where[i], all);
        labels.push_back(feasibility_label(session.value[i].has_value()));
        if (!session.value[i]) continue;
        features.append(session.where[i], working);
        values.push_back(*session.value[i]);
    }
    objective_options own = objective;
    own.unit = 0;
    objective_scale const scale(values, own);
    unit_ = scale.unit();
    centre_ = scale.centre();
    logarithmic_ = scale.logarithmic();
    for (double& v : values)
        v = scale.to_model(v);
    random_engine none(0); // the options draw nothing
    values_.refit(working, values, {}, none);
    values_.condition(working, values, std::vector<double>(values.size(), discrepancy));
    first_.set_hyper(values_.hyper());
    first_.condition(working, values, std::vector<double>(values.size(), first_discrepancy));
    if (values.size() == labels.size()) return;
    labels_.emplace(features, label_process());
    labels_->refit(all, labels, {}, none);
    labels_->condition(all, labels);
}

ATTUNE_INLINE void source_model::predict(feature_table const& points, Eigen::ArrayXd& mean,
                                         Eigen::ArrayXd& variance) const
{
    values_.predict(points, mean, variance);
    mean *= unit_;
    variance *= unit_ * unit_;
}

ATTUNE_INLINE Eigen::ArrayXd source_model::predict_first(feature_table const& points) const
{
    Eigen::ArrayXd mean;
    Eigen::ArrayXd unused;
    first_.predict(points, mean, unused);
    return mean * unit_;
}

ATTUNE_INLINE Eigen::ArrayXd source_model::chance(feature_table const& points) const
{
    Eigen::Index const count = static_cast<Eigen::Index>(points.points);
    if (!labels_) return Eigen::ArrayXd::Ones(count);
    Eigen::ArrayXd mean;
    Eigen::ArrayXd variance;
    labels_->predict(points, mean, variance);
    for (Eigen::Index i = 0; i < count; ++i)
        mean[i] = feasible_probability(mean[i], variance[i]);
    return mean;
}

} // namespace attune::inline ATTUNE_ABI::detail
