// attune/search/bayes/gp/conditional.hpp - observations under fixed hyperparameters, added and removed.
// SPDX-License-Identifier: MIT
// Source   Rasmussen & Williams 2006, Algorithm 2.1, with rows appended. Removal: plane rotations
//          (Gill, Golub, Murray, Saunders 1974).
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/kernel.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// Rotates rows k and k + 1. Row k becomes cosine * row k + sine * row k + 1; row k + 1 becomes
/// cosine * row k + 1 - sine * row k.
struct plane_rotation {
    double cosine = 1;
    double sine = 0;
};

/// n observations. A value y is standardised to (y - shift) / scale, both of the last condition().
class conditional {
public:
    conditional(attune::feature_map features, kernel k);

    /// Replaces hyperparameters and observations.
    /// @return  false if the covariance cannot be factorised; then there are no observations
    /// Cost     2/3 n^3
    bool condition(hyperparameter_vector const& h, attune::feature_table const& points,
                   std::span<double const> values, std::span<double const> variance, double shift,
                   double scale);

    [[nodiscard]] Eigen::Index size() const noexcept { return size_; }
    [[nodiscard]] attune::feature_table const& points() const noexcept { return points_; }
    [[nodiscard]] hyperparameter_vector const& hyper() const noexcept { return hyper_; }
    [[nodiscard]] double shift() const noexcept { return shift_; }
    [[nodiscard]] double scale() const noexcept { return scale_; }
    /// L: n x n, zero above the diagonal.
    [[nodiscard]] auto factor() const { return factor_.topLeftCorner(size_, size_); }
    /// L^-1 y and L^-1 1: n.
    [[nodiscard]] auto of_values() const { return of_values_.head(size_); }
    [[nodiscard]] auto of_ones() const { return of_ones_.head(size_); }

    /// Adds row `row` of `from`.
    /// @return  L^-1 k, with k its covariance with the earlier observations, and the new L(n, n)
    /// Cost     n d + n^2 / 2
    std::pair<Eigen::VectorXd, double> observe(attune::feature_table const& from, std::size_t row,
                                               double value, double variance);

    /// Replaces the value of observation `i`.
    /// @return  the change of of_values()
    Eigen::VectorXd revise(std::size_t i, double value);

    /// Removes observation `i`.
    /// @return  rotations of rows i and i + 1, i + 1 and i + 2, ...; then the last row is dropped
    /// Cost     3 n (n - i)
    std::vector<plane_rotation> forget(std::size_t i);

private:
    Eigen::VectorXd covariance_with(attune::feature_table const& from, std::size_t row) const;
    void reserve(Eigen::Index count);

    attune::feature_map features_;
    kernel kernel_;
    hyperparameter_vector hyper_;
    attune::feature_table points_;
    double shift_ = 0;
    double scale_ = 1;
    Eigen::Index size_ = 0;
    Eigen::MatrixXd factor_; ///< at least n x n
    Eigen::VectorXd of_values_, of_ones_, standardised_;
};

/// append_row adds row `row` of `from` to `to`; erase_row removes row `row` of `table`.
void append_row(attune::feature_table const& from, std::size_t row, attune::feature_table& to);
void erase_row(attune::feature_table& table, std::size_t row);

} // namespace attune::inline ATTUNE_ABI::detail::gp

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/gp/conditional.ipp>
#endif
