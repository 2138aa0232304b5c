// attune/search/bayes/gp/vectors.hpp - sums of vectors in memory.
// SPDX-License-Identifier: MIT
// tested by search/bayes/gp/pool.cpp
//
// Eigen compiles an expression anew for each type of its operands. Here an operand is a pointer.
#pragma once

#include <attune/core/version.hpp>

#include <Eigen/Core>

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

} // namespace attune::inline ATTUNE_ABI::detail::gp
