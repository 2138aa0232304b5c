// bench/ship/matvec.program.cpp - calls a kernel: baked, or its function alone.
// SPDX-License-Identifier: MIT
#ifdef ATTUNE_BENCH_BAKED
#include <attune/ship/baked.hpp>
#endif

#include <cstdio>
#include <span>

using product = void(std::span<float const>, std::span<float const>, std::span<float>, int);

#ifdef ATTUNE_BENCH_BAKED
static attune::baked<product> const matvec{attune::baked_kernel<"matvec">};
#else
void matvec(std::span<float const> a, std::span<float const> x, std::span<float> y, int n);
#endif

int main()
{
    static float a[16] = {1, 2, 3, 4}, x[4] = {1, 1, 1, 1}, y[4];
    matvec(a, x, y, 4);
    std::printf("%g\n", static_cast<double>(y[0]));
}
