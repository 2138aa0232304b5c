// attune/search/bayes/surrogate.hpp - the interfaces of a model of the objective, and of a model of the chance to succeed.
// SPDX-License-Identifier: MIT
// Source   feasibility: BaCO Sec. 4.2, hidden constraints: acquisition times probability, and a
//          limit drawn anew in each iteration that is 0 with positive probability. Regression of
//          labels, and the chance that the regressed function is positive: Rasmussen & Williams
//          2006 Sec. 6.5 (probit of a least-squares classifier). Unlike the mean alone, the
//          probability separates a point that surely fails (near failures, low variance) from an
//          unknown one: on recorded kernels a quarter fewer failures than with the mean, for the
//          same results.
//
// A surrogate learns and predicts. A resident_surrogate also updates the posterior of the
// candidates with each observation, which is faster; model/search_parts.hpp lets any other
// surrogate learn again after each outcome.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <numbers>
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

namespace detail {

/// The model's prior mean, 0, is this far above the middle of the labels: without data, a point is
/// more likely to succeed than to fail.
inline constexpr double feasibility_offset = 0.5;
/// Added to the variance of the regressed label, as the least uncertainty of any model.
inline constexpr double feasibility_doubt = 0.1;

/// The label of one outcome.
[[nodiscard]] constexpr double feasibility_label(bool worked) noexcept
{
    return (worked ? 1.0 : -1.0) - feasibility_offset;
}

/// The chance that a configuration succeeds.
///
/// @param mean, variance  posterior of feasibility_label(), without noise; variance >= 0
/// @return  in [0, 1]
[[nodiscard]] inline double feasible_probability(double mean, double variance) noexcept
{
    double const z = (mean + feasibility_offset) / std::sqrt(variance + feasibility_doubt);
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

} // namespace detail

/// Learns which configurations succeed: a surrogate of labels, and the chance from its posterior.
/// - surrogate_type: learns label(true) and label(false).
/// - chance(mean, variance): probability of success, in [0, 1], from the posterior of its label;
///   not 0 for the posterior without data, (0, 1).
/// tests/laws/feasibility.hpp checks this.
template <class F>
concept feasibility = surrogate<typename F::surrogate_type> && requires(bool worked, double x) {
    { F::label(worked) } -> std::convertible_to<double>;
    { F::chance(x, x) } -> std::convertible_to<double>;
};

/// Regresses feasibility_label() with `S`.
template <surrogate S>
struct label_regression {
    using surrogate_type = S;

    [[nodiscard]] static double label(bool worked) noexcept
    {
        return detail::feasibility_label(worked);
    }
    [[nodiscard]] static double chance(double mean, double variance) noexcept
    {
        return detail::feasible_probability(mean, variance);
    }
};

/// Learns nothing: the search only avoids to repeat failed points.
struct no_feasibility {};

namespace detail {

/// BaCO's minimum feasibility limit for one iteration: 0 with probability 0.2, else uniform in (0,
/// 0.8). In this iteration the search skips points with a lower feasible_probability().
[[nodiscard]] constexpr double draw_feasibility_limit(random_engine& engine) noexcept
{
    return std::max(0.0, uniform_unit(engine) - 0.2);
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
