// attune/search/bayes/model/process_model.hpp - a Gaussian process that keeps candidates.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/mixed_pool.hpp>
#include <attune/search/bayes/gp/process.hpp>
#include <attune/search/bayes/surrogate.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A Gaussian process; the posterior of all candidates follows every observation exactly.
class process_model {
public:
    process_model(feature_map features, gp::process_options const& options)
        : fitter_(features, options)
        , pool_(std::move(features), options)
    {
    }

    void assign(feature_table rows) { pool_.assign(std::move(rows)); }
    void append(feature_table const& rows) { pool_.append(rows); }
    [[nodiscard]] feature_table const& table() const { return pool_.table(); }

    void fit(feature_table const& points, std::span<double const> values,
             std::span<double const> variance, random_engine& engine)
    {
        fitter_.refit(points, values, variance, engine);
        pool_.set_hyper(fitter_.hyper());
    }
    /// The same for values whose covariance is that of the process and `fixed`: n x n.
    void fit(feature_table const& points, std::span<double const> values,
             std::span<double const> variance, random_engine& engine, Eigen::MatrixXd const& fixed)
    {
        fitter_.refit(points, values, variance, engine, fixed);
        pool_.set_hyper(fitter_.hyper());
    }
    /// What is believed of hyperparameters before any value is seen, from the next fit() on.
    [[nodiscard]] gp::hyper_density const& believed() const { return fitter_.believed(); }
    void believe(gp::hyper_density density) { fitter_.believe(std::move(density)); }
    void learn(feature_table const& points, std::span<double const> values,
               std::span<double const> variance, random_engine&)
    {
        pool_.condition(points, values, variance);
    }
    void observe(feature_table const& from, std::size_t row, double value, double variance)
    {
        pool_.observe(from, row, value, variance);
    }
    void observe(std::size_t row, double value, double variance)
    {
        pool_.observe(row, value, variance);
    }

    void push(feature_table const& from, std::size_t row, double value)
    {
        pool_.push_pending(from, row, value);
    }
    void push(std::size_t row, double value) { pool_.push_pending(row, value); }
    void pop() { pool_.pop_pending(); }

    /// gp::basic_pool
    [[nodiscard]] gp::mixed_pool const& pool() const { return pool_; }
    [[nodiscard]] Eigen::ArrayXd const& mean() const { return pool_.mean(); }
    [[nodiscard]] Eigen::ArrayXd const& variance() const { return pool_.variance(); }
    void covariance(std::size_t row, Eigen::ArrayXd& out) { pool_.covariance(row, out); }
    void predict(feature_table const& points, Eigen::ArrayXd& mean, Eigen::ArrayXd& variance) const
    {
        pool_.model().predict(points, mean, variance);
    }

private:
    gp::process fitter_; ///< fitted to other observations than the pool keeps
    gp::mixed_pool pool_;
};

/// A surrogate: the process that its settings describe, those of the searcher's constructor.
class chosen_process : public process_model {
public:
    using settings_type = gp::process_options;

    explicit chosen_process(feature_map const& features, settings_type const& settings = {})
        : process_model(features, settings)
    {
    }
};

/// A surrogate: the process that `Options` describes.
template <gp::process_options (*Options)()>
class process_surrogate : public process_model {
public:
    explicit process_surrogate(feature_map const& features)
        : process_model(features, Options())
    {
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
