// attune/search/bayes/model/candidate_model.hpp - a model with opinions on numbered candidates.
// SPDX-License-Identifier: MIT
// Source   own: what the search needs of a Gaussian process and of a random forest alike
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/mixed_pool.hpp>
#include <attune/search/bayes/gp/process.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace attune::inline ATTUNE_ABI {

/// Values are standardised, variances too. A pushed observation is forgotten by the matching pop,
/// and nothing else is called in between.
class candidate_model {
public:
    candidate_model() = default;
    candidate_model(candidate_model const&) = delete;
    candidate_model& operator=(candidate_model const&) = delete;
    virtual ~candidate_model() = default;

    /// Replaces the candidates; observations stay.
    virtual void assign(feature_table rows) = 0;
    /// Adds candidates behind the others.
    virtual void append(feature_table const& rows) = 0;
    [[nodiscard]] virtual feature_table const& table() const = 0;

    /// Learns the form of the function from these; learn() must follow.
    virtual void fit(feature_table const& points,
                     std::span<double const> values,
                     std::span<double const> variance,
                     random_engine& engine) = 0;
    /// Replaces all observations. `variance` may be empty.
    virtual void learn(feature_table const& points,
                       std::span<double const> values,
                       std::span<double const> variance,
                       random_engine& engine) = 0;
    /// One more: row `row` of `from`, or a candidate.
    virtual void
    observe(feature_table const& from, std::size_t row, double value, double variance) = 0;
    virtual void observe(std::size_t row, double value, double variance) = 0;

    virtual void push(feature_table const& from, std::size_t row, double value) = 0;
    virtual void push(std::size_t row, double value) = 0;
    virtual void pop() = 0;

    [[nodiscard]] virtual Eigen::ArrayXd const& mean() = 0;
    /// Of the noise-free function, >= 0.
    [[nodiscard]] virtual Eigen::ArrayXd const& variance() = 0;
    /// Covariance of one candidate with all, where the model has one; else only its own variance.
    virtual void covariance(std::size_t row, Eigen::ArrayXd& out) = 0;
};

/// A Gaussian process; the posterior of all candidates follows every observation exactly.
class process_model final : public candidate_model {
public:
    process_model(feature_map features, gp::process_options const& options)
        : fitter_(features, options)
        , pool_(std::move(features), options)
    {
    }

    void assign(feature_table rows) override { pool_.assign(std::move(rows)); }
    void append(feature_table const& rows) override { pool_.append(rows); }
    [[nodiscard]] feature_table const& table() const override { return pool_.table(); }
    void fit(feature_table const& points,
             std::span<double const> values,
             std::span<double const> variance,
             random_engine& engine) override
    {
        fitter_.refit(points, values, variance, engine);
        pool_.set_hyper(fitter_.hyper());
    }
    void learn(feature_table const& points,
               std::span<double const> values,
               std::span<double const> variance,
               random_engine&) override
    {
        pool_.condition(points, values, variance);
    }
    void observe(feature_table const& from, std::size_t row, double value, double variance) override
    {
        pool_.observe(from, row, value, variance);
    }
    void observe(std::size_t row, double value, double variance) override
    {
        pool_.observe(row, value, variance);
    }
    void push(feature_table const& from, std::size_t row, double value) override
    {
        pool_.push_pending(from, row, value);
    }
    void push(std::size_t row, double value) override { pool_.push_pending(row, value); }
    void pop() override { pool_.pop_pending(); }
    [[nodiscard]] Eigen::ArrayXd const& mean() override { return pool_.mean(); }
    [[nodiscard]] Eigen::ArrayXd const& variance() override { return pool_.variance(); }
    void covariance(std::size_t row, Eigen::ArrayXd& out) override { pool_.covariance(row, out); }

private:
    gp::process fitter_; ///< has no candidates: what it is fitted to may differ from what is kept
    gp::mixed_pool pool_;
};

} // namespace attune::inline ATTUNE_ABI
