// attune/search/bayes/gp/blocks.hpp - sums of vectors; products, inverses and projections of matrices in blocks.
// SPDX-License-Identifier: MIT
// Source   own: blocks of 24 columns, because at n = 100 Eigen's solvers spend half of their time
//          in blocks of 8
// Source   projections: Rasmussen & Williams 2006, Algorithm 2.1. Own: products of blocks that fit
//          the second cache
//
// Eigen compiles an expression anew for each type of its operands. Here an operand is a pointer.
#pragma once

#include <attune/core/version.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail::gp {

template <class Scalar>
using numbers_at = Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>>;
template <class Scalar>
using read_at = Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1> const>;

/// to[i] += factor * from[i]
/// @tparam Wide  `Scalar`, or double if that is float
template <class Scalar, class Wide>
void add_scaled(Eigen::Index count, Wide factor, Scalar const* from, Wide* to)
{
    numbers_at<Wide>(to, count) += factor * read_at<Scalar>(from, count).template cast<Wide>();
}
/// to[i] += factor * from[i]^2
template <class Scalar, class Wide>
void add_squares(Eigen::Index count, Wide factor, Scalar const* from, Wide* to)
{
    numbers_at<Wide>(to, count) +=
        factor * read_at<Scalar>(from, count).template cast<Wide>().square();
}
/// of[i] *= factor
template <class Scalar>
void scale_by(Eigen::Index count, Scalar factor, Scalar* of)
{
    numbers_at<Scalar>(of, count) *= factor;
}

/// Eigen compiles a product anew for each pair of types of blocks. Here a block is a reference to
/// any matrix. The result must not overlap an operand.
template <class Scalar>
struct block_products {
    using matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
    using written = Eigen::Ref<matrix, 0, Eigen::OuterStride<>>;
    using read = Eigen::Ref<matrix const, 0, Eigen::OuterStride<>> const&;

    /// to = a b
    static void set(written to, read a, read b) { to.noalias() = a * b; }
    /// to = a b^T
    static void set_by_transpose(written to, read a, read b) { to.noalias() = a * b.transpose(); }
    /// to -= a b^T
    static void subtract_by_transpose(written to, read a, read b)
    {
        to.noalias() -= a * b.transpose();
    }
    /// to = a^T b
    static void set_of_transpose(written to, read a, read b) { to.noalias() = a.transpose() * b; }
};

inline constexpr Eigen::Index inverse_block = 24;
using block_ref = Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

/// Cholesky of a block that fits the first cache, lower triangle, in place.
[[nodiscard]] inline bool factorise_block(block_ref a)
{
    Eigen::Index const n = a.rows();
    for (Eigen::Index j = 0; j < n; ++j) {
        if (!(a(j, j) > 0) || !(a(j, j) <= std::numeric_limits<double>::max())) return false;
        double const pivot = std::sqrt(a(j, j));
        a(j, j) = pivot;
        for (Eigen::Index i = j + 1; i < n; ++i)
            a(i, j) /= pivot;
        for (Eigen::Index k = j + 1; k < n; ++k) {
            double const factor = a(k, j);
            double* const to = &a(0, k);
            double const* const from = &a(0, j);
            for (Eigen::Index i = k; i < n; ++i)
                to[i] -= factor * from[i];
        }
    }
    return true;
}

/// Inverse of a lower triangular block, in place.
inline void invert_block(block_ref a)
{
    Eigen::Index const n = a.rows();
    for (Eigen::Index j = n - 1; j >= 0; --j) {
        double const inverse = 1.0 / a(j, j);
        a(j, j) = inverse;
        double sum[inverse_block] = {};
        double* const column = &a(0, j);
        for (Eigen::Index k = j + 1; k < n; ++k) {
            double const factor = column[k];
            double const* const done = &a(0, k);
            for (Eigen::Index i = k; i < n; ++i)
                sum[i] += factor * done[i];
        }
        for (Eigen::Index i = j + 1; i < n; ++i)
            column[i] = -inverse * sum[i];
    }
}

/// L with L L^T = K, and L^-1.
///
/// @param[in,out] matrix  n x n: K in the lower triangle, then L there
/// @param[out] inverse    n x n: L^-1, zero above the diagonal
/// @param scratch         any size; kept between calls to save allocations
/// @return  false when K is not positive definite or not finite; the outputs are invalid then
/// Cost     2/3 n^3
[[nodiscard]] inline bool factorise_and_invert(Eigen::MatrixXd& matrix, Eigen::MatrixXd& inverse,
                                               Eigen::MatrixXd& scratch)
{
    using Eigen::Index;
    using products = block_products<double>;
    Index const n = matrix.rows();
    inverse.setZero(n, n);
    scratch.resize(inverse_block, n);
    for (Index p = 0; p < n; p += inverse_block) {
        Index const b = std::min(inverse_block, n - p);
        Index const below = n - p - b;
        if (p > 0)
            products::subtract_by_transpose(matrix.block(p, p, n - p, b),
                                            matrix.block(p, 0, n - p, p), matrix.block(p, 0, b, p));
        if (!factorise_block(matrix.block(p, p, b, b))) return false;
        inverse.block(p, p, b, b).triangularView<Eigen::Lower>() = matrix.block(p, p, b, b);
        invert_block(inverse.block(p, p, b, b));
        if (below > 0) {
            Eigen::Map<Eigen::MatrixXd> panel(scratch.data(), below, b);
            products::set_by_transpose(panel, matrix.block(p + b, p, below, b),
                                       inverse.block(p, p, b, b));
            matrix.block(p + b, p, below, b) = panel;
        }
        if (p == 0) continue;
        Eigen::Map<Eigen::MatrixXd> row(scratch.data(), b, p);
        for (Index q = 0; q < p; q += inverse_block)
            products::set(row.middleCols(q, inverse_block), matrix.block(p, q, b, p - q),
                          inverse.block(q, q, p - q, inverse_block));
        row = -row;
        products::set(inverse.block(p, 0, b, p), inverse.block(p, p, b, b), row);
    }
    return true;
}

/// factorise_and_invert() of K + jitter * identity.
///
/// @param covariance  K: n x n, the lower triangle is read
/// @return  the jitter: 0 if none was needed, else 1e-10 of the mean diagonal, times ten until the
///          factorisation succeeds; nothing if it fails with 1e-2 too, or if K is not finite
[[nodiscard]] inline std::optional<double> jittered_inverse(Eigen::MatrixXd const& covariance,
                                                            Eigen::MatrixXd& factor,
                                                            Eigen::MatrixXd& inverse,
                                                            Eigen::MatrixXd& scratch)
{
    if (covariance.rows() == 0) {
        factor.resize(0, 0);
        inverse.resize(0, 0);
        return 0.0;
    }
    double const scale = covariance.diagonal().mean();
    if (!(scale > 0)) return {};
    for (double relative = 0; relative < 2e-2; relative = relative > 0 ? 10 * relative : 1e-10) {
        factor = covariance;
        factor.diagonal().array() += relative * scale;
        if (factorise_and_invert(factor, inverse, scratch)) return relative * scale;
    }
    return {};
}

/// The lower triangle of K^-1 = L^-T L^-1; the upper one is undefined.
///
/// @param inverse_factor  L^-1: n x n, zero above the diagonal
/// Cost     n^3 / 3
inline void inverse_from_factor(Eigen::MatrixXd const& inverse_factor, Eigen::MatrixXd& out)
{
    using Eigen::Index;
    Index const n = inverse_factor.rows();
    out.resize(n, n);
    for (Index q = 0; q < n; q += inverse_block) {
        Index const columns = std::min(inverse_block, n - q);
        for (Index p = q; p < n; p += inverse_block) {
            Index const rows = std::min(inverse_block, n - p);
            block_products<double>::set_of_transpose(out.block(p, q, rows, columns),
                                                     inverse_factor.block(p, p, n - p, rows),
                                                     inverse_factor.block(p, q, n - p, columns));
        }
    }
}

/// Sums over observations, one per candidate. Means are linear in the values, so the sums for the
/// values and for ones give the mean for any shift and scale.
struct projection_sums {
    Eigen::ArrayXd values;   ///< projection times L^-1 y
    Eigen::ArrayXd ones;     ///< projection times L^-1 1
    Eigen::ArrayXd variance; ///< signal - squared norm of the projection

    void resize(Eigen::Index candidates)
    {
        values.resize(candidates);
        ones.resize(candidates);
        variance.resize(candidates);
    }
};

/// Solves with L in blocks of 24 rows, whose diagonal blocks are inverted once. Rounding errors are
/// those of substitution: a product with the whole L^-1 loses two more digits.
template <class Scalar>
class block_solver {
public:
    using matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
    using vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
    using block_of_rows = typename block_products<Scalar>::written;

    /// @param factor  L: n x n, lower
    explicit block_solver(Eigen::MatrixXd const& factor)
        : factor_(factor.template cast<Scalar>())
        , inverse_(factor.rows(), inverse_block)
    {
        for (Eigen::Index p = 0; p < factor.rows(); p += inverse_block) {
            Eigen::Index const size = std::min(inverse_block, factor.rows() - p);
            Eigen::MatrixXd block = Eigen::MatrixXd::Zero(size, size);
            block.template triangularView<Eigen::Lower>() = factor.block(p, p, size, size);
            invert_block(block);
            inverse_.block(p, 0, size, size) = block.template cast<Scalar>();
        }
    }

    /// Computes projections from covariances, and adds them up.
    ///
    /// @param[in,out] block   m x n: covariances of candidates with observations; then (L^-1 K)^T
    /// @param of_values, of_ones  L^-1 y and L^-1 1: n
    /// @param first           the sums of candidate i go to entry first + i
    /// Cost     m n (n / 2 + 15)
    void project(block_of_rows block, Eigen::VectorXd const& of_values,
                 Eigen::VectorXd const& of_ones, double signal, Eigen::Index first,
                 projection_sums& sums) const
    {
        using Eigen::Index;
        using products = block_products<Scalar>;
        constexpr Index rows_at_once = 512;
        Index const n = block.cols();
        vector const value = of_values.template cast<Scalar>();
        vector const one = of_ones.template cast<Scalar>();
        matrix rest;
        vector value_sum;
        vector one_sum;
        vector square_sum;
        for (Index r = 0; r < block.rows(); r += rows_at_once) {
            Index const rows = std::min(rows_at_once, block.rows() - r);
            value_sum.setZero(rows);
            one_sum.setZero(rows);
            square_sum.setZero(rows);
            for (Index p = 0; p < n; p += inverse_block) {
                Index const columns = std::min(inverse_block, n - p);
                auto here = block.block(r, p, rows, columns);
                rest = here;
                if (p > 0)
                    products::subtract_by_transpose(rest, block.block(r, 0, rows, p),
                                                    factor_.block(p, 0, columns, p));
                products::set_by_transpose(here, rest, inverse_.block(p, 0, columns, columns));
                for (Index c = 0; c < columns; ++c) {
                    Scalar const* const column = &here(0, c);
                    add_scaled(rows, value[p + c], column, value_sum.data());
                    add_scaled(rows, one[p + c], column, one_sum.data());
                    add_squares(rows, Scalar(1), column, square_sum.data());
                }
            }
            for (Index i = 0; i < rows; ++i) {
                sums.values[first + r + i] = static_cast<double>(value_sum[i]);
                sums.ones[first + r + i] = static_cast<double>(one_sum[i]);
                sums.variance[first + r + i] = signal - static_cast<double>(square_sum[i]);
            }
        }
    }

private:
    matrix factor_;
    matrix inverse_; ///< n x 24: inverses of the blocks on the diagonal of L, one below the other
};

} // namespace attune::inline ATTUNE_ABI::detail::gp
