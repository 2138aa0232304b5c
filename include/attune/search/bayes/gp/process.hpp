// attune/search/bayes/gp/process.hpp - a Gaussian process over points of a space.
// SPDX-License-Identifier: MIT
// Source   Rasmussen & Williams 2006, Algorithm 2.1; growing and shrinking the factor is own
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/evidence.hpp>
#include <attune/search/bayes/gp/kernel.hpp>
#include <attune/search/owned_state.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <optional>
#include <span>

namespace attune::inline ATTUNE_ABI::detail::gp {

struct process_options {
    gp::kernel kernel;
    gp::belief belief;
    int iterations = 30;            ///< of L-BFGS per start
    bool restart_from_prior = true; ///< a second start at each refit, from the prior's mode
    /// Multi-start of BaCO Sec. 3.2: number of random hyperparameters at the first fit, of which
    /// the `refined` most probable are starts. 0: start only at the prior's mode.
    int draws = 0;
    int refined = 1;
    bool always_draws = false; ///< at every fit, not only the first
    /// Kernel Tuner's mode: all length scales have this value, the signal is 1, nothing is fitted.
    std::optional<double> fixed_length;
    double fixed_noise = 1e-6; ///< noise variance then
};

/// The surrogate of Kernel Tuner (Willemsen et al. 2021, Sec. III): Matern-3/2 over
/// normalised parameters with a fixed length scale above 1, or Matern-5/2 with one below 1.
[[nodiscard]] process_options kernel_tuner_process(double length = 2.0,
                                                   smoothness matern = smoothness::matern32);

/// The surrogate of BaCO Sec. 3.2: radial Matern-5/2, gamma densities on lengths, random starts.
[[nodiscard]] process_options baco_process();

/// Learns one number per point.
///
/// Values are standardised as (value - shift) / scale, see rescale(); means and variances are in
/// standardised units, without noise.
class process {
public:
    explicit process(attune::feature_map features, process_options const& options = {});

    [[nodiscard]] attune::feature_map const& features() const noexcept;
    [[nodiscard]] process_options const& options() const noexcept;

    /// Before refit() or set_hyper(): the prior's mode.
    [[nodiscard]] hyperparameter_vector const& hyper() const noexcept;
    /// The prior of hyperparameters; believe() sets it for the next refit() on.
    [[nodiscard]] hyper_density const& believed() const noexcept;
    void believe(hyper_density density);
    /// Sets hyperparameters, such as those of a saved run. condition() must follow.
    void set_hyper(hyperparameter_vector hyper);

    /// Sets the standardisation for fits, predictions, and values of later observations. Nothing is
    /// recomputed: posterior means are linear in the values.
    void rescale(double shift, double scale);
    [[nodiscard]] double shift() const noexcept;
    [[nodiscard]] double scale() const noexcept;

    /// Fits the hyperparameters; later fits start from the last result. condition() must follow.
    ///
    /// @param values    one per row of `points`
    /// @param variance  of each value, in standardised units, besides the learnt noise; may be
    ///                  empty
    /// @param engine    used only if options().draws > 0, at the first fit or with always_draws
    /// @param fixed     n x n, a covariance of the standardised values that is added to the
    ///                  kernel's; or empty
    void refit(attune::feature_table const& points, std::span<double const> values,
               std::span<double const> variance, random_engine& engine,
               Eigen::MatrixXd const& fixed = {});

    /// Replaces all observations.  Cost: n^2 d + 2/3 n^3
    void condition(attune::feature_table const& points, std::span<double const> values,
                   std::span<double const> variance = {});
    [[nodiscard]] std::size_t observations() const noexcept;
    /// Appends row `row` of `from` as observation number observations(). Cost: n^2 / 2 + n d
    void observe(attune::feature_table const& from, std::size_t row, double value,
                 double variance = 0);
    /// Removes observation `i`; later ones move down by one.  Cost: 3 (n - i)^2
    void forget(std::size_t i);

    /// @param[out] mean, variance  one per row of `points`; resized
    /// Cost     per point: n products over features, n^2 / 2 multiplications
    void predict(attune::feature_table const& points, Eigen::ArrayXd& mean,
                 Eigen::ArrayXd& variance) const;

private:
    friend class pool;
    struct state;
    owned_state<state> state_;
};

} // namespace attune::inline ATTUNE_ABI::detail::gp

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/gp/process.ipp>
#endif
