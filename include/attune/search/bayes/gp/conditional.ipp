// attune/search/bayes/gp/conditional.ipp - updates the Cholesky factor by rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/search/bayes/gp/blocks.hpp>
#include <attune/search/bayes/gp/conditional.hpp>

#include <algorithm>
#include <cmath>

namespace attune::inline ATTUNE_ABI::detail::gp {

ATTUNE_INLINE void append_row(attune::feature_table const& from, std::size_t row,
                              attune::feature_table& to)
{
    to.level.resize(from.level.size());
    to.real.resize(from.real.size());
    for (std::size_t f = 0; f < from.level.size(); ++f)
        if (!from.level[f].empty()) to.level[f].push_back(from.level[f][row]);
    for (std::size_t f = 0; f < from.real.size(); ++f)
        if (!from.real[f].empty()) to.real[f].push_back(from.real[f][row]);
    ++to.points;
}

ATTUNE_INLINE void erase_row(attune::feature_table& table, std::size_t row)
{
    auto const erase = [row](auto& column) {
        if (!column.empty()) column.erase(column.begin() + static_cast<std::ptrdiff_t>(row));
    };
    std::for_each(table.level.begin(), table.level.end(), erase);
    std::for_each(table.real.begin(), table.real.end(), erase);
    --table.points;
}

/// Covariance of all pairs of `points`, lower triangle, without noise.
inline Eigen::MatrixXd covariance_of(design const& points, kernel k, hyperparameter_vector const& h)
{
    Eigen::Index const n = points.points;
    bool const product = k.form == kernel_form::product;
    Eigen::MatrixXd out = Eigen::MatrixXd::Constant(n, n, product ? h.signal() : 0.0);
    std::vector<double> table;
    for (std::size_t f = 0; f < points.features.size(); ++f) {
        observed_feature const& feature = points.features[f];
        double const weight = std::exp(-2.0 * h.theta[static_cast<Eigen::Index>(f)]);
        Eigen::Index const levels = feature.squared.rows();
        table.assign(feature.squared.data(), feature.squared.data() + feature.squared.size());
        for (double& v : table)
            v = weight * v;
        if (product) {
            apply_matern(k.matern, numbers_at<double>(table.data(), feature.squared.size()));
            for (double& v : table)
                v = h.base() + (1.0 - h.base()) * v;
        }
        for (Eigen::Index j = 0; j < n; ++j) {
            double const* const row =
                table.data() + levels * feature.code[static_cast<std::size_t>(j)];
            double* const column = &out(0, j);
            for (Eigen::Index i = j; i < n; ++i) {
                double const value = row[feature.code[static_cast<std::size_t>(i)]];
                column[i] = product ? column[i] * value : column[i] + value;
            }
        }
    }
    if (!product) {
        apply_matern(k.matern, out);
        scale_by(out.size(), h.signal(), out.data());
    }
    return out;
}

ATTUNE_INLINE conditional::conditional(attune::feature_map features, kernel k)
    : features_(std::move(features))
    , kernel_(k)
{
}

ATTUNE_INLINE void conditional::reserve(Eigen::Index count)
{
    if (factor_.rows() >= count) return;
    Eigen::Index const capacity = std::max(count, 2 * factor_.rows());
    factor_.conservativeResize(capacity, capacity);
    of_values_.conservativeResize(capacity);
    of_ones_.conservativeResize(capacity);
    standardised_.conservativeResize(capacity);
}

ATTUNE_INLINE bool conditional::condition(hyperparameter_vector const& h,
                                          attune::feature_table const& points,
                                          std::span<double const> values,
                                          std::span<double const> variance, double shift,
                                          double scale)
{
    ATTUNE_ASSERT(values.size() == points.points, "one value per observed point");
    ATTUNE_ASSERT(variance.empty() || variance.size() == values.size(),
                  "one variance per observed point, or none");
    hyper_ = h;
    shift_ = shift;
    scale_ = scale;
    points_ = {};
    size_ = 0;
    Eigen::Index const n = static_cast<Eigen::Index>(points.points);
    Eigen::MatrixXd noisy = covariance_of(design_of(features_, points), kernel_, h);
    for (Eigen::Index i = 0; i < n; ++i) {
        noisy(i, i) += h.noise();
        if (!variance.empty()) noisy(i, i) += variance[static_cast<std::size_t>(i)];
    }
    Eigen::MatrixXd factor;
    Eigen::MatrixXd inverse;
    Eigen::MatrixXd scratch;
    if (!jittered_inverse(noisy, factor, inverse, scratch)) return false;
    reserve(n);
    points_ = points;
    size_ = n;
    factor_.topLeftCorner(n, n).setZero();
    factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>() = factor;
    for (Eigen::Index i = 0; i < n; ++i)
        standardised_[i] = (values[static_cast<std::size_t>(i)] - shift) / scale;
    of_values_.head(n).noalias() = inverse * standardised_.head(n);
    of_ones_.head(n) = inverse.rowwise().sum();
    return true;
}

/// Covariance of a point with every observation, without noise.
ATTUNE_INLINE Eigen::VectorXd conditional::covariance_with(attune::feature_table const& from,
                                                           std::size_t row) const
{
    bool const product = kernel_.form == kernel_form::product;
    Eigen::VectorXd out = Eigen::VectorXd::Constant(size_, product ? hyper_.signal() : 0.0);
    Eigen::VectorXd factor(size_);
    for (std::size_t f = 0; f < features_.count(); ++f) {
        bool const continuous = features_.levels(f) == 0;
        double const here = continuous ? features_.position(f, from, row) : 0.0;
        double const weight = std::exp(-2.0 * hyper_.theta[static_cast<Eigen::Index>(f)]);
        for (Eigen::Index i = 0; i < size_; ++i) {
            std::size_t const other = static_cast<std::size_t>(i);
            double const distance =
                continuous ? features_.position(f, points_, other) - here
                           : features_.distance(f, points_.level[f][other], from.level[f][row]);
            factor[i] = distance * distance * weight;
        }
        if (product) apply_matern(kernel_.matern, factor);
        for (Eigen::Index i = 0; i < size_; ++i)
            out[i] = product ? out[i] * (hyper_.base() + (1.0 - hyper_.base()) * factor[i])
                             : out[i] + factor[i];
    }
    if (!product) {
        apply_matern(kernel_.matern, out);
        scale_by(out.size(), hyper_.signal(), out.data());
    }
    return out;
}

ATTUNE_INLINE std::pair<Eigen::VectorXd, double>
conditional::observe(attune::feature_table const& from, std::size_t row, double value,
                     double variance)
{
    Eigen::Index const n = size_;
    reserve(n + 1);
    Eigen::VectorXd projected = covariance_with(from, row);
    auto const known = factor_.topLeftCorner(n, n);
    known.triangularView<Eigen::Lower>().solveInPlace(projected);
    double const diagonal = hyper_.signal() + hyper_.noise() + variance;
    // For a repeated point only its noise remains, except for rounding errors.
    double const pivot = std::sqrt(std::max(diagonal - projected.squaredNorm(), 1e-10 * diagonal));
    factor_.col(n).head(n).setZero();
    factor_.row(n).head(n) = projected.transpose();
    factor_(n, n) = pivot;
    standardised_[n] = (value - shift_) / scale_;
    of_values_[n] = (standardised_[n] - projected.dot(of_values_.head(n))) / pivot;
    of_ones_[n] = (1.0 - projected.dot(of_ones_.head(n))) / pivot;
    append_row(from, row, points_);
    ++size_;
    return {projected, pivot};
}

ATTUNE_INLINE Eigen::VectorXd conditional::revise(std::size_t i, double value)
{
    Eigen::Index const at = static_cast<Eigen::Index>(i);
    ATTUNE_ASSERT(at < size_, "only what has been observed can be revised");
    double const standardised = (value - shift_) / scale_;
    Eigen::VectorXd change = Eigen::VectorXd::Zero(size_);
    change[at] = standardised - standardised_[at];
    // Entries before `at` do not change.
    auto const behind = factor_.block(at, at, size_ - at, size_ - at);
    auto below = change.tail(size_ - at);
    behind.triangularView<Eigen::Lower>().solveInPlace(below);
    standardised_[at] = standardised;
    of_values_.head(size_) += change;
    return change;
}

ATTUNE_INLINE std::vector<plane_rotation> conditional::forget(std::size_t i)
{
    Eigen::Index const at = static_cast<Eigen::Index>(i);
    ATTUNE_ASSERT(at < size_, "only what has been observed can be forgotten");
    std::vector<plane_rotation> rotations;
    auto const rotate = [](plane_rotation const& r, auto&& a, auto&& b) {
        double const first = r.cosine * a + r.sine * b;
        b = r.cosine * b - r.sine * a;
        a = first;
    };
    // Without row `at`, the rows below have one entry past the diagonal; rotations remove it.
    for (Eigen::Index k = at; k + 1 < size_; ++k) {
        double const length = std::hypot(factor_(k + 1, k), factor_(k + 1, k + 1));
        plane_rotation const r{factor_(k + 1, k) / length, factor_(k + 1, k + 1) / length};
        rotations.push_back(r);
        for (Eigen::Index row = k + 1; row < size_; ++row)
            rotate(r, factor_(row, k), factor_(row, k + 1));
        rotate(r, of_values_[k], of_values_[k + 1]);
        rotate(r, of_ones_[k], of_ones_[k + 1]);
        standardised_[k] = standardised_[k + 1];
    }
    for (Eigen::Index k = 0; k + 1 < size_; ++k) {
        double* const column = &factor_(0, k);
        std::copy(column + std::max(k, at) + 1, column + size_, column + std::max(k, at));
    }
    erase_row(points_, i);
    --size_;
    return rotations;
}

} // namespace attune::inline ATTUNE_ABI::detail::gp
