// attune/compile/nest/nest_text.hpp - a program as its statements: for comments, and to compare programs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI {

/// Arrays with types and extents, axes with extents, and the statements in the words of
/// attune::nest, a line each. Values that are read several times have separate lines: "$1 = ...".
/// Programs with equal text compute the same, bit for bit, in the same arguments.
///
/// Example   gemm(float const A[M][512], float const B[512][N], updated float C[M][N], int M, int
/// N)
///               i < M, k < 512, j < N
///               C[i][j] += sum(k)(A[i][k] * B[k][j])
[[nodiscard]] std::string text_of(nest_description const& nest);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nest/nest_text.ipp>
#endif
