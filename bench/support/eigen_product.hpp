// bench/support/eigen_product.hpp - Eigen's matrix product, compiled for this machine: a module, opened at run time.
// SPDX-License-Identifier: MIT
//
// bench/CMakeLists.txt defines ATTUNE_BENCH_EIGEN_PRODUCT for the programs that use it.
#pragma once

#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace bench {

/// c = a * b, row-major: a is m x k, b is k x n.
using product_function = void (*)(float const* a, float const* b, float* c, int m, int n, int k);

/// Errors  std::runtime_error with the loader's words
[[nodiscard]] inline product_function eigen_product()
{
    void* const library = ::dlopen(ATTUNE_BENCH_EIGEN_PRODUCT, RTLD_NOW | RTLD_LOCAL);
    void* const found = library == nullptr ? nullptr : ::dlsym(library, "attune_bench_product");
    if (found == nullptr)
        throw std::runtime_error(std::string("Eigen's product cannot be opened: ") + ::dlerror());
    return reinterpret_cast<product_function>(found);
}

} // namespace bench
