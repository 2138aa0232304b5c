// bench/tune/eigen_product.module.cpp - Eigen's matrix product, compiled for this machine.
// SPDX-License-Identifier: MIT
//
// A module that bench.tune.sgemm opens: the optimizer of the library has Eigen in it as well,
// compiled for any machine, and where both are linked into one program the linker keeps one body of
// every inline function.
#include <Eigen/Core>

/// c = a * b for row-major n x n matrices.
extern "C" __attribute__((visibility("default"))) void
attune_bench_product(float const* a, float const* b, float* c, int n)
{
    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<matrix>(c, n, n).noalias() =
        Eigen::Map<matrix const>(a, n, n) * Eigen::Map<matrix const>(b, n, n);
}
