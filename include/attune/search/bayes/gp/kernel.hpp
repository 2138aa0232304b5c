// attune/search/bayes/gp/kernel.hpp - the covariance of a Gaussian process, and its hyperparameters.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.2 eq. (1)-(2) for the radial form. The product form is the ANOVA kernel of
//          Stitson et al. 1999 over Matern factors, with one base for all features.
#pragma once

#include <attune/core/version.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// How features combine. d_f: distance in feature f, l_f: its length scale, M: the Matern function.
enum class kernel_form : std::uint8_t {
    /// signal * product over f of (base + (1 - base) * M(d_f / l_f)): includes every main effect
    /// and interaction; a feature with a long l_f has no effect.
    product,
    /// signal * M(sqrt(sum over f of (d_f / l_f)^2)): BaCO eq. (1)-(2).
    radial,
};

/// The assumed smoothness of functions: once or twice differentiable.
enum class smoothness : std::uint8_t { matern32, matern52 };

struct kernel {
    kernel_form form = kernel_form::product;
    smoothness matern = smoothness::matern52;
};

/// The parameters that a Gaussian process over d features learns.
///
/// theta: d + 3 numbers: log length scale of each feature (in units of the normalised distances),
/// log signal variance, log noise variance (squared units of the standardised values) and
/// log(base / (1 - base)), which the radial form ignores.
struct hyperparameter_vector {
    Eigen::VectorXd theta;

    [[nodiscard]] static Eigen::Index size(Eigen::Index features) noexcept { return features + 3; }
    [[nodiscard]] Eigen::Index features() const noexcept { return theta.size() - 3; }
    [[nodiscard]] bool is_set() const noexcept { return theta.size() > 0; }
    [[nodiscard]] double length(Eigen::Index feature) const { return std::exp(theta[feature]); }
    [[nodiscard]] double signal() const { return std::exp(theta[features()]); }
    [[nodiscard]] double noise() const { return std::exp(theta[features() + 1]); }
    [[nodiscard]] double base() const { return 1.0 / (1.0 + std::exp(-theta[features() + 2])); }
};

} // namespace attune::inline ATTUNE_ABI::detail::gp
