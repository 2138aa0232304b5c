// attune/search/bayes/gp/pool.hpp - candidates whose posterior is updated with every observation, in one of two precisions.
// SPDX-License-Identifier: MIT
// Source   own: rows of L^-1 K(observed, candidates) are kept, an observation adds one column
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/kernel.hpp>
#include <attune/search/bayes/gp/process.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// A process and m candidates ("rows") with their exact posterior.
///
/// Scalar: type of the m x n matrix; observations, factor and fits are always double. With float,
/// means were off by at most 8e-5 and variances by a share of 2e-3 on recorded kernels with up to
/// 200 observations. If the signal is a million times the noise, means are off by 1e-2 and
/// variances have no correct digit: mixed_pool selects the type.
///
/// Values are given in any unit and standardised as (value - shift) / scale; all means, variances
/// and noise variances are in standardised units.
template <class Scalar>
class basic_pool {
public:
    explicit basic_pool(attune::feature_map features, process_options const& options = {});
    ~basic_pool();
    basic_pool(basic_pool&&) noexcept;
    basic_pool& operator=(basic_pool&&) noexcept;

    [[nodiscard]] process const& model() const noexcept;
    /// Sets hyperparameters, such as those of a saved run; condition() must follow.
    void set_hyper(hyperparameter_vector hyper);

    /// Replaces the candidates; observations stay.  Cost: a rebuild (m n (d + n / 2))
    void assign(attune::feature_table rows);
    /// Appends candidates. Cost: a rebuild for them alone, and a copy
    void append(attune::feature_table const& rows);
    /// Keeps candidate i where keep[i] is not 0; the order stays.  Cost: m n moves
    void keep_only(std::span<char const> keep);
    [[nodiscard]] std::size_t rows() const noexcept;
    [[nodiscard]] attune::feature_table const& table() const noexcept;

    /// Sets the standardisation. No rebuild: posterior means are linear in the values. Cost: m
    void rescale(double shift, double scale);

    /// Fits hyperparameters (process::refit), then condition().
    void refit(attune::feature_table const& points, std::span<double const> values,
               std::span<double const> variance, random_engine& engine);
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
    std::unique_ptr<state> state_;
};

using pool = basic_pool<float>;
using exact_pool = basic_pool<double>;

/// A pool whose precision depends on its hyperparameters. Members as in pool.
class mixed_pool {
public:
    /// Above this ratio the pool has double: for functions almost without noise.
    static constexpr double largest_ratio = 1e4; ///< of signal to noise in float

    explicit mixed_pool(attune::feature_map features, process_options const& options = {})
        : features_(std::move(features))
        , options_(options)
        , pool_(std::in_place_type<pool>, features_, options_)
    {
        choose(model().hyper());
    }

    [[nodiscard]] bool is_exact() const noexcept
    {
        return std::holds_alternative<exact_pool>(pool_);
    }
    [[nodiscard]] process const& model() const
    {
        return std::visit([](auto const& p) -> process const& { return p.model(); }, pool_);
    }
    [[nodiscard]] attune::feature_table const& table() const
    {
        return std::visit([](auto const& p) -> attune::feature_table const& { return p.table(); },
                          pool_);
    }
    [[nodiscard]] std::size_t rows() const { return table().points; }
    [[nodiscard]] std::size_t observations() const { return model().observations(); }
    [[nodiscard]] Eigen::ArrayXd const& mean() const
    {
        return std::visit([](auto const& p) -> Eigen::ArrayXd const& { return p.mean(); }, pool_);
    }
    [[nodiscard]] Eigen::ArrayXd const& variance() const
    {
        return std::visit([](auto const& p) -> Eigen::ArrayXd const& { return p.variance(); },
                          pool_);
    }
    [[nodiscard]] Eigen::MatrixXd whitened(Eigen::MatrixXd const& v) const
    {
        return std::visit([&](auto const& p) { return p.whitened(v); }, pool_);
    }
    [[nodiscard]] Eigen::MatrixXd response(Eigen::MatrixXd const& white) const
    {
        return std::visit([&](auto const& p) { return p.response(white); }, pool_);
    }
    void covariance(std::size_t row, Eigen::ArrayXd& out)
    {
        std::visit([&](auto& p) { p.covariance(row, out); }, pool_);
    }

    /// condition() must follow: a change of precision drops the observations.
    void set_hyper(hyperparameter_vector const& hyper)
    {
        choose(hyper);
        std::visit([&](auto& p) { p.set_hyper(hyper); }, pool_);
    }
    void rescale(double shift, double scale)
    {
        std::visit([&](auto& p) { p.rescale(shift, scale); }, pool_);
    }
    void assign(attune::feature_table rows)
    {
        std::visit([&](auto& p) { p.assign(std::move(rows)); }, pool_);
    }
    void append(attune::feature_table const& rows)
    {
        std::visit([&](auto& p) { p.append(rows); }, pool_);
    }
    void keep_only(std::span<char const> keep)
    {
        std::visit([&](auto& p) { p.keep_only(keep); }, pool_);
    }
    void condition(attune::feature_table const& points, std::span<double const> values,
                   std::span<double const> variance = {})
    {
        std::visit([&](auto& p) { p.condition(points, values, variance); }, pool_);
    }
    void observe(std::size_t row, double value, double variance = 0)
    {
        std::visit([&](auto& p) { p.observe(row, value, variance); }, pool_);
    }
    void observe(attune::feature_table const& from, std::size_t row, double value,
                 double variance = 0)
    {
        std::visit([&](auto& p) { p.observe(from, row, value, variance); }, pool_);
    }
    void revise(std::size_t i, double value)
    {
        std::visit([&](auto& p) { p.revise(i, value); }, pool_);
    }
    void forget(std::size_t i)
    {
        std::visit([&](auto& p) { p.forget(i); }, pool_);
    }
    void push_pending(std::size_t row, double lie)
    {
        std::visit([&](auto& p) { p.push_pending(row, lie); }, pool_);
    }
    void push_pending(attune::feature_table const& from, std::size_t row, double lie)
    {
        std::visit([&](auto& p) { p.push_pending(from, row, lie); }, pool_);
    }
    void pop_pending()
    {
        std::visit([](auto& p) { p.pop_pending(); }, pool_);
    }

private:
    /// Selects the precision for these hyperparameters; keeps candidates and standardisation.
    void choose(hyperparameter_vector const& hyper)
    {
        bool const exact = hyper.signal() > largest_ratio * hyper.noise();
        if (exact == is_exact()) return;
        attune::feature_table candidates = table();
        double const shift = model().shift();
        double const scale = model().scale();
        if (exact)
            pool_.emplace<exact_pool>(features_, options_);
        else
            pool_.emplace<pool>(features_, options_);
        rescale(shift, scale);
        if (candidates.points > 0) assign(std::move(candidates));
    }

    attune::feature_map features_;
    process_options options_;
    std::variant<pool, exact_pool> pool_;
};

} // namespace attune::inline ATTUNE_ABI::detail::gp

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/gp/pool.ipp>
#endif
