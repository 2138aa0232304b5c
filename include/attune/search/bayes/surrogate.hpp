// attune/search/bayes/surrogate.hpp - the interface of a model of the objective.
// SPDX-License-Identifier: MIT
// tested by search/bayes/model/surrogates.cpp
//
// A surrogate learns and predicts. A resident_surrogate also updates the posterior of the
// candidates with each observation, which is faster; model/relearnt.hpp lets any other surrogate
// learn again after each outcome.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>

#include <Eigen/Core>

#include <concepts>
#include <cstddef>
#include <span>

namespace attune::inline ATTUNE_ABI {

/// Learns numbers of configurations and predicts those of other configurations.
/// - S(features): an empty model. `features` describes the columns of a feature_table.
/// - learn(points, values, variance, engine): replaces earlier data. At least one row; one value
///   per row, standardised (mean 0 and deviation 1 over the successes at the last fit); `variance`
///   of each value, or empty. Random choices use only `engine`.
/// - predict(points, mean, variance): resizes both to one entry per row; `variance` is that of the
///   noise-free function, >= 0. Everything is finite.
/// Optional: fit(points, values, variance, engine), called before some calls of learn(), with the
/// observations to which hyperparameters such as length scales are fitted. tests/laws/surrogate.hpp
/// checks all this.
template <class S>
concept surrogate =
    std::constructible_from<S, feature_map const&> &&
    requires(S s, S const& learnt, feature_table const& points, std::span<double const> numbers,
             random_engine& engine, Eigen::ArrayXd& out) {
        { s.learn(points, numbers, numbers, engine) } -> std::same_as<void>;
        { learnt.predict(points, out, out) } -> std::same_as<void>;
    };

namespace detail {

/// Settings of a surrogate that needs only features.
struct no_settings {};

template <class S>
struct settings_of {
    using type = no_settings;
};
template <class S>
    requires requires { typename S::settings_type; }
struct settings_of<S> {
    using type = typename S::settings_type;
};

} // namespace detail

/// The settings of a surrogate beside the features: S(features, settings), if it has a
/// settings_type. Every searcher stores them.
template <class S>
using surrogate_settings = typename detail::settings_of<S>::type;

/// A surrogate that keeps numbered candidates and their posterior.
/// - assign(rows) replaces the candidates, append(rows) adds some; observations stay. table(): all.
/// - fit(...) as for a surrogate; learn(...) accepts zero rows, and then mean() is 0.
/// - observe(row, ...) or observe(from, row, ...): observes a candidate or another point.
/// - push(...) observes until the matching pop(); between them only mean() and variance().
/// - mean(), variance(): one entry per candidate. covariance(row, out): of candidate `row` with
///   all. A model without covariances sets the variance at `row`, and 0 elsewhere.
template <class S>
concept resident_surrogate =
    surrogate<S> &&
    requires(S s, S const& constant, feature_table rows, feature_table const& points,
             std::size_t row, double number, std::span<double const> numbers, random_engine& engine,
             Eigen::ArrayXd& out) {
        s.assign(rows);
        s.append(points);
        { constant.table() } -> std::same_as<feature_table const&>;
        s.fit(points, numbers, numbers, engine);
        s.observe(points, row, number, number);
        s.observe(row, number, number);
        s.push(points, row, number);
        s.push(row, number);
        s.pop();
        { s.mean() } -> std::same_as<Eigen::ArrayXd const&>;
        { s.variance() } -> std::same_as<Eigen::ArrayXd const&>;
        s.covariance(row, out);
    };

} // namespace attune::inline ATTUNE_ABI
