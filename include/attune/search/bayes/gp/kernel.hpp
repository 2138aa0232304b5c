// attune/search/bayes/gp/kernel.hpp - the covariance of a Gaussian process: hyperparameters, correlations, observed points; the covariances of one point with many.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.2 eq. (1)-(2) for the radial form. The product form is the ANOVA kernel of
//          Stitson et al. 1999 over Matern factors, with one base for all features.
// Source   Matern: the published BaCO eq. (1) reads 1 + sqrt(5) d + 5 d^2, which is not positive
//          definite; Rasmussen & Williams 2006 eq. (4.17) has 5/3 d^2, as here. Matern-3/2: the
//          same equation; Willemsen et al. 2021 use it.
// Source   own: a kernel that multiplies (or adds) over features is looked up once per group. A
//          dozen features make three or four groups, because derived ones are functions of
//          parameters.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

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
    [[nodiscard]] double length(Eigen::Index feature) const { return std::exp(theta[feature]); }
    [[nodiscard]] double signal() const { return std::exp(theta[features()]); }
    [[nodiscard]] double noise() const { return std::exp(theta[features() + 1]); }
    [[nodiscard]] double base() const { return 1.0 / (1.0 + std::exp(-theta[features() + 2])); }
};

/// Matern-5/2 correlation as a function of the squared scaled distance: (1 + s + s^2/3) exp(-s)
/// with s = sqrt(5 r2).
struct matern52 {
    /// Correlations and their derivatives by r2, -5/6 (1 + s) exp(-s), with one exp each. These are
    /// finite at 0, so equal points are no special case.
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

/// Matern-3/2, with the members of matern52: (1 + s) exp(-s) with s = sqrt(3 r2), and -3/2 exp(-s).
struct matern32 {
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

/// Replaces squared distances by correlations.
/// @param r2  of one block of memory
template <class Array>
void apply_matern(smoothness s, Array&& r2)
{
    if (s == smoothness::matern52)
        matern52::apply(r2.data(), r2.size());
    else
        matern32::apply(r2.data(), r2.size());
}

/// One feature of n observed points.
struct observed_feature {
    std::vector<std::uint32_t> code; ///< n: index of a level that occurs
    Eigen::MatrixXd squared;         ///< squared distances of the levels that occur; symmetric
};

/// n points with d features.
struct design {
    Eigen::Index points = 0;
    std::vector<observed_feature> features;
};

/// The design of all rows of `points`.
/// Cost     n d look-ups and, per feature, half the square of its occurring levels in distances; a
///          continuous feature has one level per distinct value
[[nodiscard]] inline design design_of(attune::feature_map const& map,
                                      attune::feature_table const& points)
{
    design out{static_cast<Eigen::Index>(points.points), {}};
    out.features.resize(map.count());
    for (std::size_t f = 0; f < map.count(); ++f) {
        observed_feature& feature = out.features[f];
        bool const continuous = map.levels(f) == 0;
        std::vector<std::size_t> first; // one row per level
        if (continuous) {
            std::unordered_map<double, std::uint32_t> seen;
            for (std::size_t i = 0; i < points.points; ++i) {
                auto const [place, is_new] = seen.try_emplace(
                    map.position(f, points, i), static_cast<std::uint32_t>(first.size()));
                if (is_new) first.push_back(i);
                feature.code.push_back(place->second);
            }
        } else {
            std::unordered_map<std::uint32_t, std::uint32_t> seen;
            for (std::size_t i = 0; i < points.points; ++i) {
                auto const [place, is_new] =
                    seen.try_emplace(points.level[f][i], static_cast<std::uint32_t>(first.size()));
                if (is_new) first.push_back(i);
                feature.code.push_back(place->second);
            }
        }
        Eigen::Index const levels = static_cast<Eigen::Index>(first.size());
        feature.squared.setZero(levels, levels);
        for (Eigen::Index a = 0; a < levels; ++a)
            for (Eigen::Index b = 0; b < a; ++b) {
                std::size_t const row_a = first[static_cast<std::size_t>(a)];
                std::size_t const row_b = first[static_cast<std::size_t>(b)];
                double const distance =
                    continuous ? map.position(f, points, row_a) - map.position(f, points, row_b)
                               : map.distance(f, points.level[f][row_a], points.level[f][row_b]);
                feature.squared(a, b) = feature.squared(b, a) = distance * distance;
            }
    }
    return out;
}

/// Features that are looked up together.
struct feature_group {
    std::vector<std::size_t> features;
    /// level[k][c]: level of features[k] in combination c; only combinations that occur.
    std::vector<std::vector<std::uint32_t>> level;
    std::vector<std::uint16_t> code; ///< one per point: its combination

    [[nodiscard]] std::size_t combinations() const noexcept { return level.front().size(); }
};

/// m points, every feature either in one group or direct.
struct code_book {
    std::size_t points = 0;
    std::vector<feature_group> groups;
    /// Continuous features, and those with more than 65535 levels among the points.
    std::vector<std::size_t> direct;
};

/// Cost     about d^2 look-ups of up to 1024 points, and d of all
[[nodiscard]] code_book code_book_of(attune::feature_map const& map,
                                     attune::feature_table const& points);

/// Evaluates a kernel column by column. Scalar: float or double.
template <class Scalar>
class kernel_columns {
public:
    kernel_columns(attune::feature_map features, kernel k);

    /// Sets the hyperparameters.
    void use(hyperparameter_vector const& h);

    /// Covariance, without noise, of row `row` of `from` with points first .. first + count - 1.
    ///
    /// @param points  the table from which `book` was made
    /// @param[out] out  count
    /// Cost     per point one look-up for each group of the book, one exp for each direct feature
    ///          and, in the radial form, one more exp
    void fill(attune::feature_table const& from, std::size_t row,
              attune::feature_table const& points, code_book const& book, std::size_t first,
              std::size_t count, Scalar* out);

private:
    using array = Eigen::Array<Scalar, Eigen::Dynamic, 1>;

    array const& row_of(std::size_t feature, std::uint32_t level);
    void fill_group_tables(attune::feature_table const& from, std::size_t row,
                           code_book const& book);
    void add_direct(attune::feature_table const& from, std::size_t row,
                    attune::feature_table const& points, std::size_t feature, std::size_t first,
                    std::size_t count, Scalar* out);
    /// Converts squared scaled distances to factors; the radial form keeps the distances.
    void to_factors(array& r2) const;

    attune::feature_map features_;
    kernel kernel_;
    double signal_ = 1;
    double base_ = 0;
    std::vector<double> weight_; ///< d: 1 / length^2
    /// Per feature and used level: the factor with every other level. use() empties it.
    std::vector<std::unordered_map<std::uint32_t, array>> rows_;
    std::vector<array> tables_; ///< per group: the factor of every combination
    array scratch_;
};

} // namespace attune::inline ATTUNE_ABI::detail::gp

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/gp/kernel.ipp>
#endif
