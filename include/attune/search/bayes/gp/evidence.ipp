// attune/search/bayes/gp/evidence.ipp - assembles, factorises and differentiates the covariance.
// SPDX-License-Identifier: MIT
// Source   see evidence.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/gp/evidence.hpp>
#include <attune/search/bayes/gp/inverse.hpp>
#include <attune/search/bayes/gp/matern.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::gp {

inline void evaluate_matern(smoothness s, Eigen::ArrayXd const& r2, Eigen::ArrayXd& k,
                            Eigen::ArrayXd& dk)
{
    if (s == smoothness::matern52)
        matern52::evaluate(r2, k, dk);
    else
        matern32::evaluate(r2, k, dk);
}

ATTUNE_INLINE
evidence::evidence(design const& points, kernel k, Eigen::VectorXd values, Eigen::VectorXd variance,
                   Eigen::MatrixXd fixed)
    : points_(points)
    , kernel_(k)
    , values_(std::move(values))
    , variance_(std::move(variance))
    , fixed_(std::move(fixed))
    , tables_(points.features.size())
{
}

ATTUNE_INLINE void evidence::fill_tables(hyperparameter_vector const& h, bool with_gradient)
{
    double const base = h.base();
    for (std::size_t f = 0; f < tables_.size(); ++f) {
        Eigen::MatrixXd const& squared = points_.features[f].squared;
        Eigen::Index const levels = squared.rows();
        level_table& table = tables_[f];
        double const weight = std::exp(-2.0 * h.theta[static_cast<Eigen::Index>(f)]);
        if (kernel_.form == kernel_form::radial) {
            table.factor = weight * squared;
            continue;
        }
        r2_ = weight * squared.reshaped().array();
        evaluate_matern(kernel_.matern, r2_, k_, dk_);
        table.factor.resize(levels, levels);
        auto factor = table.factor.reshaped().array();
        factor = base + (1.0 - base) * k_;
        if (!with_gradient) continue;
        table.by_length.resize(levels, levels);
        table.by_base.resize(levels, levels);
        // d r2 / d log length = -2 r2
        table.by_length.reshaped().array() = (-2.0 * (1.0 - base)) * r2_ * dk_ / factor;
        table.by_base.reshaped().array() = (1.0 - k_) / factor;
    }
}

/// Computes covariance_, and slope_ for the radial form.
ATTUNE_INLINE void evidence::assemble(hyperparameter_vector const& h, bool with_gradient)
{
    Eigen::Index const n = points_.points;
    double const signal = h.signal();
    bool const product = kernel_.form == kernel_form::product;
    covariance_.resize(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
        double* const column = &covariance_(0, j);
        for (Eigen::Index i = j; i < n; ++i)
            column[i] = product ? signal : 0.0;
        std::size_t f = 0;
        auto const row_of = [&](std::size_t g) {
            return &tables_[g].factor(0, points_.features[g].code[static_cast<std::size_t>(j)]);
        };
        // Two features per pass halve the loads and stores of the column.
        for (; f + 1 < tables_.size(); f += 2) {
            double const* const row_a = row_of(f);
            double const* const row_b = row_of(f + 1);
            std::uint32_t const* const a = points_.features[f].code.data();
            std::uint32_t const* const b = points_.features[f + 1].code.data();
            if (product)
                for (Eigen::Index i = j + 1; i < n; ++i)
                    column[i] *= row_a[a[i]] * row_b[b[i]];
            else
                for (Eigen::Index i = j + 1; i < n; ++i)
                    column[i] += row_a[a[i]] + row_b[b[i]];
        }
        if (f < tables_.size()) {
            double const* const row = row_of(f);
            std::uint32_t const* const code = points_.features[f].code.data();
            for (Eigen::Index i = j + 1; i < n; ++i)
                column[i] = product ? column[i] * row[code[i]] : column[i] + row[code[i]];
        }
    }
    if (product) return;
    if (with_gradient) slope_.resize(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
        Eigen::Index const length = n - j;
        r2_ = covariance_.col(j).tail(length).array();
        evaluate_matern(kernel_.matern, r2_, k_, dk_);
        covariance_.col(j).tail(length) = (signal * k_).matrix();
        if (with_gradient) slope_.col(j).tail(length) = (signal * dk_).matrix();
    }
}

ATTUNE_INLINE double evidence::operator()(Eigen::VectorXd const& theta, Eigen::VectorXd* gradient)
{
    hyperparameter_vector const h{theta};
    Eigen::Index const n = points_.points;
    Eigen::Index const d = h.features();
    double const noise = h.noise();
    if (gradient != nullptr) gradient->setZero(theta.size());

    fill_tables(h, gradient != nullptr);
    assemble(h, gradient != nullptr);
    covariance_.diagonal().array() += noise;
    if (variance_.size() == n) covariance_.diagonal() += variance_;
    if (fixed_.rows() == n) total_ = covariance_ + fixed_;
    std::optional<double> const jitter = jittered_inverse(fixed_.rows() == n ? total_ : covariance_,
                                                          factor_, inverse_factor_, scratch_);
    if (!jitter) return -std::numeric_limits<double>::infinity();

    auto const inverse_factor = std::as_const(inverse_factor_).triangularView<Eigen::Lower>();
    Eigen::VectorXd const beta = inverse_factor * values_;
    double const value = -0.5 * beta.squaredNorm() - factor_.diagonal().array().log().sum() -
                         0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi);
    if (gradient == nullptr) return value;

    Eigen::VectorXd const alpha = inverse_factor.transpose() * beta;
    inverse_from_factor(inverse_factor_, inverse_);
    // inverse_ becomes W * dK, below the diagonal, with W = alpha alpha^T - K^-1.
    double on_diagonal = 0;
    double pairs = 0;
    for (Eigen::Index j = 0; j < n; ++j) {
        Eigen::Index const below = n - j - 1;
        double const here = alpha[j] * alpha[j] - inverse_(j, j);
        on_diagonal += here;
        auto weight = inverse_.col(j).tail(below).array();
        weight = alpha[j] * alpha.tail(below).array() - weight;
        if (kernel_.form == kernel_form::radial) {
            pairs += (weight * covariance_.col(j).tail(below).array()).sum();
            weight *= slope_.col(j).tail(below).array();
        } else {
            weight *= covariance_.col(j).tail(below).array();
            pairs += weight.sum();
        }
    }
    add_feature_gradients(h, *gradient);
    (*gradient)[d] = 0.5 * h.signal() * on_diagonal + pairs;
    (*gradient)[d + 1] = 0.5 * noise * on_diagonal;
    return value;
}

/// Adds the derivatives by log lengths and logit base; the weights of pairs are in inverse_.
ATTUNE_INLINE void evidence::add_feature_gradients(hyperparameter_vector const& h,
                                                   Eigen::VectorXd& gradient)
{
    Eigen::Index const n = points_.points;
    bool const product = kernel_.form == kernel_form::product;
    double by_base = 0;
    for (std::size_t f = 0; f < tables_.size(); ++f) {
        std::uint32_t const* const code = points_.features[f].code.data();
        Eigen::MatrixXd const& table = product ? tables_[f].by_length : tables_[f].factor;
        Eigen::MatrixXd const& other = product ? tables_[f].by_base : tables_[f].factor;
        double by_length = 0;
        double here = 0;
        if (Eigen::Index const levels = table.rows(); 4 * levels <= n) {
            // First the sums over columns j of equal level, then over rows i.
            by_level_.setZero(n, levels);
            for (Eigen::Index j = 0; j + 1 < n; ++j)
                by_level_.col(code[j]).tail(n - j - 1) += inverse_.col(j).tail(n - j - 1);
            for (Eigen::Index b = 0; b < levels; ++b) {
                double const* const weight = &by_level_(0, b);
                double const* const row = &table(0, b);
                double const* const base_row = &other(0, b);
                for (Eigen::Index i = 0; i < n; ++i) {
                    by_length += weight[i] * row[code[i]];
                    here += weight[i] * base_row[code[i]];
                }
            }
        } else {
            for (Eigen::Index j = 0; j + 1 < n; ++j) {
                double const* const weight = &inverse_(0, j);
                double const* const row = &table(0, code[j]);
                double const* const base_row = &other(0, code[j]);
                for (Eigen::Index i = j + 1; i < n; ++i) {
                    by_length += weight[i] * row[code[i]];
                    here += weight[i] * base_row[code[i]];
                }
            }
        }
        gradient[static_cast<Eigen::Index>(f)] = product ? by_length : -2.0 * by_length;
        by_base += here;
    }
    double const base = h.base();
    if (product) gradient[h.features() + 2] = by_base * base * (1.0 - base);
}

} // namespace attune::inline ATTUNE_ABI::detail::gp
