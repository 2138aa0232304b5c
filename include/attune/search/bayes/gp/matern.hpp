// attune/search/bayes/gp/matern.hpp - Matern correlations of two configurations, from their distance.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.2 eq. (1)-(2). The published eq. (1) reads 1 + sqrt(5) d + 5 d^2, which is
//          not positive definite; Rasmussen & Williams 2006 eq. (4.17) has 5/3 d^2, as here.
//          Matern-3/2: the same equation; Willemsen et al. 2021 use it.
#pragma once

#include <attune/core/version.hpp>

#include <Eigen/Core>

#include <cmath>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// Matern-5/2 correlation as a function of the squared scaled distance.
struct matern52 {
    /// @param r2  >= 0, without unit  @return  (1 + s + s^2/3) exp(-s) with s = sqrt(5 r2)
    [[nodiscard]] static double value(double r2) noexcept
    {
        double const s = std::sqrt(5.0 * r2);
        return (1.0 + s + s * s / 3.0) * std::exp(-s);
    }

    /// d value / d r2 = -5/6 (1 + s) exp(-s); finite at 0, so equal points are no special case.
    [[nodiscard]] static double slope(double r2) noexcept
    {
        double const s = std::sqrt(5.0 * r2);
        return -5.0 / 6.0 * (1.0 + s) * std::exp(-s);
    }

    /// value() and slope() of many pairs with one exp each.
    /// @param r2  pairs, each >= 0   @param[out] k, dk  pairs; resized
    static void evaluate(Eigen::ArrayXd const& r2, Eigen::ArrayXd& k, Eigen::ArrayXd& dk)
    {
        k = (5.0 * r2).sqrt();
        dk = (-k).exp();
        Eigen::ArrayXd const linear = (1.0 + k) * dk;
        k = linear + (5.0 / 3.0) * r2 * dk;
        dk = (-5.0 / 6.0) * linear;
    }

    /// Replaces squared distances by correlations.
    /// @param squared  `count` of them, each >= 0
    template <class Scalar>
    static void apply(Scalar* squared, Eigen::Index count)
    {
        Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>> r2(squared, count);
        r2 = (Scalar(5) * r2).sqrt();
        r2 = (Scalar(1) + r2 + r2.square() * Scalar(1.0 / 3.0)) * (-r2).exp();
    }
};

/// Matern-3/2, with the members of matern52: (1 + s) exp(-s) with s = sqrt(3 r2).
struct matern32 {
    [[nodiscard]] static double value(double r2) noexcept
    {
        double const s = std::sqrt(3.0 * r2);
        return (1.0 + s) * std::exp(-s);
    }

    /// d value / d r2 = -3/2 exp(-s)
    [[nodiscard]] static double slope(double r2) noexcept
    {
        return -1.5 * std::exp(-std::sqrt(3.0 * r2));
    }

    static void evaluate(Eigen::ArrayXd const& r2, Eigen::ArrayXd& k, Eigen::ArrayXd& dk)
    {
        k = (3.0 * r2).sqrt();
        dk = (-k).exp();
        k = (1.0 + k) * dk;
        dk *= -1.5;
    }

    template <class Scalar>
    static void apply(Scalar* squared, Eigen::Index count)
    {
        Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>> r2(squared, count);
        r2 = (Scalar(3) * r2).sqrt();
        r2 = (Scalar(1) + r2) * (-r2).exp();
    }
};

} // namespace attune::inline ATTUNE_ABI::detail::gp
