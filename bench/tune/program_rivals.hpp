// bench/tune/program_rivals.hpp - what libraries in this process have for a layer.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "../support/eigen_product.hpp"
#include "../support/openblas.hpp"
#include "contest.hpp"

namespace bench {

/// Products of row-major matrices that a layer consists of.
struct product_shape {
    int batch = 1;
    int m = 0;
    int n = 0;
    int k = 0;
};

/// Eigen, and OpenBLAS if it is installed.
/// @param a  batch x m x k; @param b  batch x k x n; @param c  batch x m x n. They outlive the
/// result.
[[nodiscard]] inline std::vector<contestant>
product_libraries(product_shape const& shape, float const* a, float const* b, float* c)
{
    auto const all = [=](auto const& one) {
        for (int at = 0; at < shape.batch; ++at) {
            auto const here = static_cast<std::ptrdiff_t>(at);
            one(a + here * shape.m * shape.k, b + here * shape.k * shape.n,
                c + here * shape.m * shape.n);
        }
    };
    std::vector<contestant> out;
    product_function const eigen = eigen_product();
    out.push_back(here("eigen", [=] {
        all([=](float const* x, float const* y, float* z) {
            eigen(x, y, z, shape.m, shape.n, shape.k);
        });
    }));
    if (cblas_sgemm_function const blas = openblas_sgemm())
        out.push_back(here("openblas", [=] {
            constexpr int row_major = 101;
            constexpr int plain = 111;
            all([=](float const* x, float const* y, float* z) {
                blas(row_major, plain, plain, shape.m, shape.n, shape.k, 1.0f, x, shape.k, y,
                     shape.n, 0.0f, z, shape.n);
            });
        }));
    return out;
}

} // namespace bench
