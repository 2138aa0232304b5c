// bench/tune/eigen_product.module.cpp - Eigen's matrix product, compiled for this machine.
// SPDX-License-Identifier: MIT
//
// A module that bench.tune.sgemm and bench.tune.programs open: the optimizer of the library has
// Eigen in it as well, compiled for any machine, and where both are linked into one program the
// linker keeps one body of every inline function.
#include <Eigen/Core>

/// c = a * b, row-major: a is m x k, b is k x n.
extern "C" __attribute__((visibility("default"))) void
attune_bench_product(float const* a, float const* b, float* c, int m, int n, int k)
{
    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<matrix>(c, m, n).noalias() =
        Eigen::Map<matrix const>(a, m, k) * Eigen::Map<matrix const>(b, k, n);
}
