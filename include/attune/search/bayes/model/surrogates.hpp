// attune/search/bayes/model/surrogates.hpp - the surrogates of a Bayesian search.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.2 and 4.2; Willemsen et al. 2021 Sec. III-C. The default's priors are ours:
//          distances are in [0, 1] and values standardised, so that a length scale of 0.6 means a
//          smooth but not linear function in any space. A derived feature repeats information of
//          the parameters, so its prior assumes little effect: a length scale of 1.5. On four
//          kernels and eight devices, 0.6 is worse by 0.013 of the optimum at 20 evaluations, and 4
//          by 0.009 at 40 (both +-0.007). 1.5 was chosen on these same data.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/pool.hpp>
#include <attune/search/bayes/gp/process.hpp>
#include <attune/search/bayes/surrogate.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

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
    /// fit() for values whose covariance is that of the process plus `fixed`: n x n.
    void fit(feature_table const& points, std::span<double const> values,
             std::span<double const> variance, random_engine& engine, Eigen::MatrixXd const& fixed)
    {
        fitter_.refit(points, values, variance, engine, fixed);
        pool_.set_hyper(fitter_.hyper());
    }
    /// The prior of hyperparameters; believe() sets it for the next fit() on.
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

    [[nodiscard]] gp::pool const& pool() const { return pool_; }
    [[nodiscard]] Eigen::ArrayXd const& mean() const { return pool_.mean(); }
    [[nodiscard]] Eigen::ArrayXd const& variance() const { return pool_.variance(); }
    void covariance(std::size_t row, Eigen::ArrayXd& out) { pool_.covariance(row, out); }
    void predict(feature_table const& points, Eigen::ArrayXd& mean, Eigen::ArrayXd& variance) const
    {
        pool_.model().predict(points, mean, variance);
    }

private:
    gp::process fitter_; ///< fitted to other observations than the pool keeps
    gp::pool pool_;
};

/// A surrogate: the process that the settings in the searcher's constructor describe.
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

/// The default surrogate's process: a product of Matern-5/2 factors with a shared base.
[[nodiscard]] inline gp::process_options objective_process()
{
    gp::process_options out;
    out.kernel.form = gp::kernel_form::product;
    out.belief.derived_length_median = 1.5;
    return out;
}

/// The same prior, with Matern-5/2 of the weighted distance (BaCO eq. 1-2).
[[nodiscard]] inline gp::process_options radial_objective_process()
{
    gp::process_options out = objective_process();
    out.kernel.form = gp::kernel_form::radial;
    return out;
}

/// Kernel Tuner's process: Matern-3/2, one fixed length scale, no fit.
[[nodiscard]] inline gp::process_options fixed_objective_process()
{
    return gp::kernel_tuner_process();
}

/// The process that regresses labels. Failures have sharp borders, so length scales are slightly
/// shorter. A label always has noise. A fit has few steps, because only the sign of a mean matters.
[[nodiscard]] inline gp::process_options label_process()
{
    gp::process_options out;
    out.kernel.form = gp::kernel_form::radial;
    out.belief.length_median = 0.5;
    out.belief.derived_length_median = 0.5;
    out.belief.noise_median = 1e-2;
    out.iterations = 12;
    out.restart_from_prior = false;
    return out;
}

} // namespace detail

using product_surrogate = detail::process_surrogate<detail::objective_process>; ///< the default
using radial_surrogate = detail::process_surrogate<detail::radial_objective_process>;
using baco_surrogate =
    detail::process_surrogate<detail::gp::baco_process>; ///< BaCO's gamma densities on lengths
using fixed_surrogate = detail::process_surrogate<detail::fixed_objective_process>;

using gaussian_feasibility =
    label_regression<detail::process_surrogate<detail::label_process>>; ///< the default

} // namespace attune::inline ATTUNE_ABI
