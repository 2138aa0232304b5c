// attune/search/bayes/gp/pool.hpp - candidates whose posterior is updated with every observation, in one of two precisions.
// SPDX-License-Identifier: MIT
// Source   own: rows of L^-1 K(observed, candidates) are kept, an observation adds one column
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/kernel.hpp>
#include <attune/search/bayes/gp/process.hpp>
#include <attune/search/owned_state.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <span>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// Type of a pool's m x n matrix; observations, factor and fits are always double.
///
/// With float, means were off by at most 8e-5 and variances by a share of 2e-3 on recorded kernels
/// with up to 200 observations. If the signal is a million times the noise, means are off by 1e-2
/// and variances have no correct digit.
enum class precision : std::uint8_t {
    by_noise, ///< exact above pool::largest_ratio, else single
    single,   ///< float
    exact,    ///< double
};

/// A process and m candidates ("rows") with their exact posterior.
///
/// Values are given in any unit and standardised as (value - shift) / scale; all means, variances
/// and noise variances are in standardised units.
class pool {
public:
    /// Ratio of signal to noise above which `by_noise` is exact: for functions almost without
    /// noise.
    static constexpr double largest_ratio = 1e4;

    explicit pool(attune::feature_map features, process_options const& options = {},
                  precision wanted = precision::by_noise);

    [[nodiscard]] bool is_exact() const noexcept;
    [[nodiscard]] process const& model() const noexcept;
    /// Sets hyperparameters, such as those of a saved run. condition() must follow: a change of
    /// precision drops the observations.
    void set_hyper(hyperparameter_vector hyper);

    /// Replaces the candidates; observations stay.  Cost: a rebuild (m n (d + n / 2))
    void assign(attune::feature_table rows);
    /// Appends candidates. Cost: a rebuild for them alone, and a copy
    void append(attune::feature_table const& rows);
    [[nodiscard]] std::size_t rows() const noexcept;
    [[nodiscard]] attune::feature_table const& table() const noexcept;

    /// Sets the standardisation. No rebuild: posterior means are linear in the values. Cost: m
    void rescale(double shift, double scale);

    /// Replaces all observations under the present hyperparameters.  Cost: a rebuild
    void condition(attune::feature_table const& points, std::span<double const> values,
                   std::span<double const> variance = {});

    [[nodiscard]] std::size_t observations() const noexcept;
    /// Observes a candidate, or another point, as observation number observations().
    /// Cost: m (n + groups of features)
    void observe(std::size_t row, double value, double variance = 0);
    void observe(attune::feature_table const& from, std::size_t row, double value,
                 double variance = 0);
    /// Replaces the value of observation `i`, such as the assumed value of a pending point by its
    /// result. Its variance does not change. Cost: m (n - i)
    void revise(std::size_t i, double value);
    /// Removes observation `i`; later ones move down. Cost: m for the last, else 3 m (n - i)
    void forget(std::size_t i);

    /// Observes `row` with the assumed value `lie` (in the unit of values) until pop_pending(),
    /// which restores mean and variance bit for bit. Calls nest; between them only mean() and
    /// variance() may be called.
    void push_pending(std::size_t row, double lie);
    void push_pending(attune::feature_table const& from, std::size_t row, double lie);
    void pop_pending();
    [[nodiscard]] std::size_t pending() const noexcept;

    /// L^-1 v, with L the factor of the observations' covariance.  Cost: n^2 / 2
    /// @param v  n x q: other values of the observations
    [[nodiscard]] Eigen::MatrixXd whitened(Eigen::MatrixXd const& v) const;
    /// The values of mean() if the observations had these other values, unshifted: means are linear
    /// in the values.  Cost: m n q
    /// @param white  n x q: whitened()
    /// @return  m x q
    [[nodiscard]] Eigen::MatrixXd response(Eigen::MatrixXd const& white) const;

    [[nodiscard]] Eigen::ArrayXd const& mean() const noexcept;     ///< m, standardised
    [[nodiscard]] Eigen::ArrayXd const& variance() const noexcept; ///< m, without noise, >= 0
    /// Posterior covariance of candidate `row` with every candidate.
    /// @param[out] out  m; resized   Cost: as observe()
    void covariance(std::size_t row, Eigen::ArrayXd& out);

private:
    struct state;
    owned_state<state> state_;
};

} // namespace attune::inline ATTUNE_ABI::detail::gp

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/gp/pool.ipp>
#endif
