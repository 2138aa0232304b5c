// attune/search/bayes/gp/block_products.hpp - products of blocks of matrices.
// SPDX-License-Identifier: MIT
// tested by search/bayes/gp/inverse.cpp
#pragma once

#include <attune/core/version.hpp>

#include <Eigen/Core>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// Eigen compiles a product anew for each pair of types of blocks; here a block is a reference,
/// whatever it is a block of. What is written overlaps nothing that is read.
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

} // namespace attune::inline ATTUNE_ABI::detail::gp
