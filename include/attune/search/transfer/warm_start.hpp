// attune/search/transfer/warm_start.hpp - all that other sessions say to one search.
// SPDX-License-Identifier: MIT
// Source   own: predictions of the sessions' models, standardised over the space, as the features
//          of a linear mean; see warm_process.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/kernel.hpp>
#include <attune/search/transfer/opening.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/search/transfer/source_model.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Made once at the beginning of a search; changes no more.
class warm_start {
public:
    /// Sessions in which nothing worked say nothing.
    /// Cost   a model of each session and its opinion on the space, or on a sample of it
    warm_start(chain_of_trees const& space, std::vector<past_session> sessions,
               warm_start_options const& options, bayesian_options const& search);

    [[nodiscard]] warm_start_options const& options() const noexcept { return options_; }
    /// Number of sessions that say something.
    [[nodiscard]] std::size_t size() const noexcept { return models_.size(); }
    [[nodiscard]] bool empty() const noexcept { return models_.empty(); }
    /// Sum 1.
    [[nodiscard]] Eigen::VectorXd const& weights() const noexcept { return weights_; }
    /// Whether all values are logarithms.
    [[nodiscard]] bool logarithmic() const noexcept { return logarithmic_; }
    /// By how much values differ over the space, in the unit of their logarithms.
    [[nodiscard]] double unit() const noexcept { return unit_; }
    /// What each session expects at each row, less its mean over the space, divided by the
    /// deviation of its values there: a session of noise expects about 0 everywhere.  m x size()
    [[nodiscard]] Eigen::MatrixXd prior(feature_table const& points) const;
    /// Whether a session says how large values are.
    [[nodiscard]] bool has_level() const noexcept { return levels_.sum() > 0; }
    /// All sessions together, of one configuration; the value by those that have a level.
    [[nodiscard]] opinion opinion_of(point const& p) const;
    /// What share of their values the sessions' models explain: in [0, 1], about 0 for noise.
    [[nodiscard]] double trust() const noexcept { return trust_; }
    /// The mean of the hyperparameters of the sessions, weighted by weight and that share.
    [[nodiscard]] gp::hyperparameter_vector const& hyper() const noexcept { return hyper_; }
    /// warm_portfolio()
    [[nodiscard]] std::vector<point> portfolio(std::size_t count) const;

private:
    /// Outcomes that worked from which on a model says more than they do.
    static constexpr std::size_t least_modelled = 3;

    /// How much slower than the best of session s each candidate is, as a logarithm.
    [[nodiscard]] std::vector<double> slowdown_of(translated_session const& session,
                                                  source_model const& model) const;

    feature_map features_;
    warm_start_options options_;
    std::vector<source_model> models_;
    Eigen::VectorXd weights_;
    Eigen::VectorXd levels_;           ///< weights of those that have a level: sum 1, or all 0
    Eigen::VectorXd mean_, deviation_; ///< over the space, by session
    std::vector<point> candidates_;
    feature_table table_;                       ///< of the candidates
    Eigen::MatrixXd expected_;                  ///< prior() of the candidates
    std::vector<std::vector<double>> slowdown_; ///< session -> candidate
    gp::hyperparameter_vector hyper_;
    double unit_ = 0;
    double trust_ = 0;
    bool logarithmic_ = true;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/warm_start.ipp>
#endif
