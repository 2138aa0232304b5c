// attune/search/bayes/gp/projection.hpp - means and variances from covariances with observations.
// SPDX-License-Identifier: MIT
// Source   Rasmussen & Williams 2006, Algorithm 2.1. Own: products of blocks that fit the second
//          cache
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/gp/block_products.hpp>
#include <attune/search/bayes/gp/inverse.hpp>

#include <Eigen/Core>

#include <algorithm>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// Sums over observations, one per candidate. Means are linear in the values, so the sums for the
/// values and for all ones give the mean for any shift and scale.
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
                    auto const column = here.col(c);
                    value_sum += value[p + c] * column;
                    one_sum += one[p + c] * column;
                    square_sum += column.cwiseAbs2();
                }
            }
            sums.values.segment(first + r, rows) = value_sum.template cast<double>().array();
            sums.ones.segment(first + r, rows) = one_sum.template cast<double>().array();
            sums.variance.segment(first + r, rows) =
                signal - square_sum.template cast<double>().array();
        }
    }

private:
    matrix factor_;
    matrix inverse_; ///< n x 24: inverses of the blocks on the diagonal of L, one below the other
};

} // namespace attune::inline ATTUNE_ABI::detail::gp
