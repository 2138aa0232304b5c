// attune/search/bayes/gp/mixed_pool.hpp - a pool in float, or in double where float is too inexact.
// SPDX-License-Identifier: MIT
//
// Rounding covariances to float changes them by 6e-8 of the signal; a fit is affected when such a
// change is as large as the noise. On recorded kernels (signal about a thousand times the noise)
// float differed by at most 1e-3 standard deviations and chose the same candidate in 264 of 264
// steps, in half the time.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/kernel.hpp>
#include <attune/search/bayes/gp/pool.hpp>
#include <attune/search/bayes/gp/process.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// A pool whose precision depends on its hyperparameters. Members as in pool.
class mixed_pool {
public:
    /// Above this ratio double is used: functions almost without noise.
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
