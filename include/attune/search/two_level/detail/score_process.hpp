// attune/search/two_level/detail/score_process.hpp - a Gaussian process over scores, with few and cheap fits.
// SPDX-License-Identifier: MIT
// tested by search/two_level/score_optimizer.cpp
// Source   the process of the package bayesian-optimization, which Rocke 2024 Sec. 3.3.1 uses:
//          Matern-5/2 with one length scale, noise variance 1e-6, standardised values. Own: a
//          search along its logarithm fits the length when the observations have grown by half
//          since the last fit; in between, observations are added to the factor.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/conditional.hpp>
#include <attune/search/bayes/gp/evidence.hpp>
#include <attune/search/bayes/gp/kernel.hpp>
#include <attune/search/bayes/gp/pool.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Scores of configurations, and predictions for candidates. Higher scores are better; all means
/// and variances are those of negated scores in standard deviations, as acquisitions need them.
class score_process {
public:
    /// @param unit  per feature: the distance of its ends in the unit of the single length scale
    score_process(feature_map features, std::vector<double> const& unit)
        : features_(std::move(features))
        , pool_(features_, options(), gp::precision::exact)
    {
        for (double const u : unit)
            log_unit_.push_back(std::log(u));
        log_largest_ =
            log_unit_.empty() ? 0 : *std::max_element(log_unit_.begin(), log_unit_.end());
        log_length_ = log_largest_ - 1;
    }

    [[nodiscard]] std::size_t size() const noexcept { return scores_.size(); }
    [[nodiscard]] std::span<double const> scores() const noexcept { return scores_; }

    void assign(feature_table candidates) { pool_.assign(std::move(candidates)); }

    void observe(point const& at, double score)
    {
        features_.append(at, known_);
        scores_.push_back(score);
        if (is_stale_) return;
        pool_.observe(known_, known_.points - 1, -score);
    }
    /// Replaces the score of observation `i`.
    void revise(std::size_t i, double score)
    {
        scores_[i] = score;
        if (!is_stale_) pool_.revise(i, -score);
    }
    /// Removes observation `i`; later ones move down.
    void forget(std::size_t i)
    {
        gp::erase_row(known_, i);
        scores_.erase(scores_.begin() + static_cast<std::ptrdiff_t>(i));
        if (scores_.empty()) is_stale_ = true;
        if (!is_stale_) pool_.forget(i);
    }
    void forget_all()
    {
        known_ = {};
        scores_.clear();
        fitted_with_ = 0;
        is_stale_ = true;
    }

    /// Brings mean() and variance() up to date. @pre size() > 0
    void update()
    {
        standardise();
        if (size() >= least_to_fit && 2 * size() > 3 * fitted_with_) {
            fit();
            is_stale_ = true;
        }
        if (is_stale_) {
            pool_.set_hyper(hyper_at(log_length_));
            std::vector<double> values;
            for (double const s : scores_)
                values.push_back(-s);
            pool_.rescale(shift_, scale_);
            pool_.condition(known_, values);
            is_stale_ = false;
        } else {
            pool_.rescale(shift_, scale_);
        }
    }
    [[nodiscard]] Eigen::ArrayXd const& mean() const noexcept { return pool_.mean(); }
    [[nodiscard]] Eigen::ArrayXd const& variance() const noexcept { return pool_.variance(); }
    /// The best score, in the unit of mean().
    [[nodiscard]] double best() const
    {
        return (-*std::max_element(scores_.begin(), scores_.end()) - shift_) / scale_;
    }
    [[nodiscard]] double log_length() const noexcept { return log_length_; }

private:
    static constexpr std::size_t least_to_fit = 4;
    static constexpr double noise = 1e-6;

    [[nodiscard]] static gp::process_options options()
    {
        gp::process_options out;
        out.kernel = {gp::kernel_form::radial, gp::smoothness::matern52};
        return out;
    }

    void standardise()
    {
        double const n = static_cast<double>(size());
        double sum = 0;
        for (double const s : scores_)
            sum -= s;
        shift_ = sum / n;
        double squares = 0;
        for (double const s : scores_)
            squares += (-s - shift_) * (-s - shift_);
        double const deviation = std::sqrt(squares / n);
        scale_ = deviation > 1e-9 ? deviation : 1;
    }

    [[nodiscard]] gp::hyperparameter_vector hyper_at(double log_length) const
    {
        auto const d = static_cast<Eigen::Index>(log_unit_.size());
        gp::hyperparameter_vector out{Eigen::VectorXd(gp::hyperparameter_vector::size(d))};
        for (Eigen::Index f = 0; f < d; ++f)
            out.theta[f] = log_length - log_unit_[static_cast<std::size_t>(f)];
        out.theta.tail<3>() << 0, std::log(noise), 0;
        return out;
    }

    /// The most likely length between a fiftieth of the shortest step and four times the longest
    /// side: a grid, then halved steps.
    void fit()
    {
        fitted_with_ = size();
        auto const n = static_cast<Eigen::Index>(size());
        Eigen::VectorXd values(n);
        for (Eigen::Index i = 0; i < n; ++i)
            values[i] = (-scores_[static_cast<std::size_t>(i)] - shift_) / scale_;
        gp::design const observed = gp::design_of(features_, known_);
        gp::evidence likelihood(observed, pool_.model().options().kernel, std::move(values));
        double best = log_length_;
        double highest = likelihood(hyper_at(best).theta, nullptr);
        auto const try_at = [&](double at) {
            double const density = likelihood(hyper_at(at).theta, nullptr);
            if (!(density > highest)) return;
            highest = density;
            best = at;
        };
        for (int i = 0; i < 5; ++i)
            try_at(log_largest_ + 1.4 - 1.2 * i);
        for (double step = 0.6; step > 0.1; step /= 2) {
            double const around = best;
            try_at(around - step);
            try_at(around + step);
        }
        log_length_ = best;
    }

    feature_map features_;
    gp::pool pool_; // exact: the signal is a million times the noise
    std::vector<double> log_unit_;
    double log_largest_ = 0;
    double log_length_ = 0;
    feature_table known_;
    std::vector<double> scores_;
    double shift_ = 0;
    double scale_ = 1;
    std::size_t fitted_with_ = 0;
    bool is_stale_ = true; ///< the pool has other observations
};

} // namespace attune::inline ATTUNE_ABI::detail
