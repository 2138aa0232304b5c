// attune/search/bayes/gp/process.ipp - a Gaussian process over points of a space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/search/bayes/gp/blocks.hpp>
#include <attune/search/bayes/gp/detail/process_state.hpp>
#include <attune/search/bayes/gp/process.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::gp {

ATTUNE_INLINE process_options kernel_tuner_process(double length, smoothness matern)
{
    process_options out;
    out.kernel = {kernel_form::radial, matern};
    out.fixed_length = length;
    return out;
}

ATTUNE_INLINE process_options baco_process()
{
    process_options out;
    out.kernel = {kernel_form::radial, smoothness::matern52};
    out.belief.length = belief::density::gamma;
    out.draws = 16;
    return out;
}

ATTUNE_INLINE process::process(attune::feature_map features, process_options const& options)
    : state_(make_state<state>(std::move(features), options))
{
}

ATTUNE_INLINE attune::feature_map const& process::features() const noexcept
{
    return state_->features;
}
ATTUNE_INLINE process_options const& process::options() const noexcept { return state_->options; }
ATTUNE_INLINE hyperparameter_vector const& process::hyper() const noexcept { return state_->hyper; }
ATTUNE_INLINE double process::shift() const noexcept { return state_->shift; }
ATTUNE_INLINE double process::scale() const noexcept { return state_->scale; }
ATTUNE_INLINE std::size_t process::observations() const noexcept
{
    return static_cast<std::size_t>(state_->given.size());
}

ATTUNE_INLINE hyper_density const& process::believed() const noexcept { return state_->prior; }
ATTUNE_INLINE void process::believe(hyper_density density)
{
    ATTUNE_ASSERT(density.features() == state_->prior.features(),
                  "beliefs are of the features of this process");
    state_->prior = std::move(density);
    if (!state_->fitted) state_->hyper = state_->prior.mode();
}

ATTUNE_INLINE void process::set_hyper(hyperparameter_vector hyper)
{
    ATTUNE_ASSERT(hyper.theta.size() == state_->hyper.theta.size(),
                  "hyperparameters are of the features of this process");
    state_->hyper = std::move(hyper);
    state_->fitted = true;
}

ATTUNE_INLINE void process::rescale(double shift, double scale)
{
    ATTUNE_ASSERT(scale > 0 && std::isfinite(shift), "values are divided by the scale");
    state_->shift = shift;
    state_->scale = scale;
}

ATTUNE_INLINE void process::refit(attune::feature_table const& points,
                                  std::span<double const> values, std::span<double const> variance,
                                  random_engine& engine, Eigen::MatrixXd const& fixed)
{
    state& s = *state_;
    ATTUNE_ASSERT(values.size() == points.points, "one value per observed point");
    ATTUNE_ASSERT(variance.empty() || variance.size() == values.size(),
                  "one variance per observed point, or none");
    if (!s.options.fixed_length && points.points > 0) {
        Eigen::Index const n = static_cast<Eigen::Index>(values.size());
        design const observed = design_of(s.features, points);
        Eigen::VectorXd const standardised =
            (Eigen::Map<Eigen::VectorXd const>(values.data(), n).array() - s.shift) / s.scale;
        Eigen::VectorXd extra;
        if (!variance.empty()) extra = Eigen::Map<Eigen::VectorXd const>(variance.data(), n);
        evidence likelihood(observed, s.options.kernel, standardised, extra, fixed);
        maximise_options how;
        how.iterations = s.options.iterations;
        how.from_prior = s.options.restart_from_prior;
        how.draws = s.options.draws;
        how.refined = s.options.refined;
        how.always_draws = s.options.always_draws;
        s.hyper = maximise(likelihood, s.prior, s.fitted ? &s.hyper : nullptr, engine, how).best;
    }
    s.fitted = true;
}

ATTUNE_INLINE void process::condition(attune::feature_table const& points,
                                      std::span<double const> values,
                                      std::span<double const> variance)
{
    state& s = *state_;
    (void)s.given.condition(s.hyper, points, values, variance, s.shift, s.scale);
}

ATTUNE_INLINE void process::observe(attune::feature_table const& from, std::size_t row,
                                    double value, double variance)
{
    state& s = *state_;
    if (s.given.size() == 0) condition({}, {}); // keeps hyperparameters and scale
    (void)s.given.observe(from, row, value, variance);
}
ATTUNE_INLINE void process::forget(std::size_t i) { (void)state_->given.forget(i); }

ATTUNE_INLINE void process::predict(attune::feature_table const& points, Eigen::ArrayXd& mean,
                                    Eigen::ArrayXd& variance) const
{
    state const& s = *state_;
    Eigen::Index const m = static_cast<Eigen::Index>(points.points);
    Eigen::Index const n = s.given.size();
    if (n == 0) {
        mean.setZero(m);
        variance.setConstant(m, s.hyper.signal());
        return;
    }
    code_book const book = code_book_of(s.features, points);
    kernel_columns<double> columns(s.features, s.options.kernel);
    columns.use(s.given.hyper());
    block_solver<double> const solver(s.given.factor());
    Eigen::VectorXd const of_values = s.given.of_values();
    Eigen::VectorXd const of_ones = s.given.of_ones();
    projection_sums sums;
    sums.resize(m);
    // At most 32 MB per block.
    Eigen::Index const at_once = std::max<Eigen::Index>(512, (Eigen::Index{1} << 22) / n);
    Eigen::MatrixXd block;
    for (Eigen::Index first = 0; first < m; first += at_once) {
        Eigen::Index const rows = std::min(at_once, m - first);
        block.resize(rows, n);
        for (Eigen::Index i = 0; i < n; ++i)
            columns.fill(s.given.points(), static_cast<std::size_t>(i), points, book,
                         static_cast<std::size_t>(first), static_cast<std::size_t>(rows),
                         &block(0, i));
        solver.project(block, of_values, of_ones, s.given.hyper().signal(), first, sums);
    }
    mean_of(sums, s.given, s.shift, s.scale, mean);
    variance = sums.variance.max(0.0);
}

} // namespace attune::inline ATTUNE_ABI::detail::gp
