// attune/search/gp/surrogate.hpp - a Gaussian process over points of a space.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       observed points with one number each; candidate points
// Out      mean and variance at every candidate
// Source   own; joins features, fit and posterior
// Depends  Eigen; fit() needs attune::search
// Tests    tests/search/gp/surrogate.cpp     Bench  bench/search/first_quality.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/search/gp/features.hpp>
#include <attune/search/gp/fit.hpp>
#include <attune/search/gp/hyperparameters.hpp>
#include <attune/search/gp/likelihood.hpp>
#include <attune/search/gp/posterior.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace attune::gp {

/// The squared distances of all pairs of rows of `points`.  Cost: d n^2 / 2 look-ups.
[[nodiscard]] inline pair_table pairs_of(feature_map& features, feature_table const& points)
{
    Eigen::Index const n = static_cast<Eigen::Index>(points.points);
    Eigen::Index const d = static_cast<Eigen::Index>(features.count());
    pair_table out{n, Eigen::MatrixXd::Zero(pair_table::pair_count(n), d)};
    for (std::size_t f = 0; f < features.count(); ++f) {
        double* column = out.squared.data() + out.squared.rows() * static_cast<Eigen::Index>(f);
        for (std::size_t j = 0; j + 1 < points.points; ++j) {
            std::size_t const below = points.points - j - 1;
            features.add_squared_distances(f, points, j, points, j + 1, 1.0, {column, below});
            column += below;
        }
    }
    return out;
}

/// Learns numbers attached to points. Holds its hyperparameters from one fit to the next.
class surrogate {
public:
    explicit surrogate(hyper_prior const& prior = {}, fit_options const& options = {})
        : prior_(prior)
        , options_(options)
    {
    }

    [[nodiscard]] bool is_fitted() const noexcept { return hyper_.theta.size() > 0; }
    [[nodiscard]] hyperparameters const& hyper() const noexcept { return hyper_; }

    /// Fits the hyperparameters to `values` (standardised, one per row of `points`); warm from the
    /// second time on. condition() must follow before predict().
    void refit(feature_map& features,
               feature_table const& points,
               std::span<double const> values,
               random_engine& engine)
    {
        pair_table const pairs = pairs_of(features, points);
        Eigen::VectorXd const y = as_vector(values);
        hyper_ = fit(pairs, y, prior_, is_fitted() ? &hyper_ : nullptr, engine, options_).best;
    }

    /// Makes `values` at `points` the observations, under the hyperparameters of the last refit()
    /// (of the prior's mode before the first).
    void condition(feature_map& features, feature_table points, std::span<double const> values)
    {
        if (!is_fitted()) hyper_ = prior_.mode(static_cast<Eigen::Index>(features.count()));
        observed_ = std::move(points);
        posterior_ = posterior(pairs_of(features, observed_), as_vector(values), hyper_);
    }

    /// @param[out] mean, variance  one per row of `candidates`; resized
    /// Cost     per candidate and observation: d look-ups, one exp, n multiplications
    void predict(feature_map& features,
                 feature_table const& candidates,
                 Eigen::ArrayXd& mean,
                 Eigen::ArrayXd& variance) const
    {
        Eigen::Index const m = static_cast<Eigen::Index>(candidates.points);
        Eigen::Index const n = posterior_.observations();
        mean.resize(m);
        variance.resize(m);
        Eigen::VectorXd const weights = hyper_.weights();
        Eigen::MatrixXd r2(std::min(m, block), n);
        for (Eigen::Index start = 0; start < m; start += block) {
            Eigen::Index const rows = std::min(block, m - start);
            r2.resize(rows, n);
            r2.setZero();
            for (Eigen::Index f = 0; f < weights.size(); ++f)
                for (Eigen::Index i = 0; i < n; ++i)
                    features.add_squared_distances(
                        static_cast<std::size_t>(f),
                        observed_,
                        static_cast<std::size_t>(i),
                        candidates,
                        static_cast<std::size_t>(start),
                        weights[f],
                        {r2.col(i).data(), static_cast<std::size_t>(rows)});
            posterior_.predict(r2, mean.segment(start, rows), variance.segment(start, rows));
        }
    }

private:
    static constexpr Eigen::Index block = 256;

    static Eigen::VectorXd as_vector(std::span<double const> values)
    {
        return Eigen::Map<Eigen::VectorXd const>(values.data(),
                                                 static_cast<Eigen::Index>(values.size()));
    }

    hyper_prior prior_;
    fit_options options_;
    hyperparameters hyper_;
    feature_table observed_;
    posterior posterior_;
};

} // namespace attune::gp
