// bench/ship/matvec.program.cpp - calls a kernel: baked, or its function alone.
// SPDX-License-Identifier: MIT
//
// PROGRAM [CALLS MOST]: calls of sizes from 1 to MOST, log-uniformly, on arrays at any multiple of
// four bytes. Prints how many of them each kind of code served.
#ifdef ATTUNE_BENCH_BAKED
#include <attune/ship/baked.hpp>
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

using product = void(std::span<float const>, std::span<float const>, std::span<float>, int);

#ifdef ATTUNE_BENCH_BAKED
static attune::baked<product> const matvec{attune::baked_kernel<"matvec">};
#else
void matvec(std::span<float const> a, std::span<float const> x, std::span<float> y, int n);
#endif

int main(int count, char** arguments)
{
    static float a[16] = {1, 2, 3, 4}, x[4] = {1, 1, 1, 1}, y[4];
    matvec(a, x, y, 4);
    std::printf("%g\n", static_cast<double>(y[0]));
    if (count < 3) return 0;
    long const calls = std::atol(arguments[1]);
    double const most = std::atof(arguments[2]);
    auto const largest = static_cast<std::size_t>(most) + 16;
    auto* const memory = static_cast<float*>(std::calloc(largest * largest, sizeof(float)));
    auto* const vectors = static_cast<float*>(std::calloc(2 * largest, sizeof(float)));
    std::uint64_t state = 7;
    auto const next = [&state] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(state >> 33);
    };
    for (long i = 0; i < calls; ++i) {
        double const part = static_cast<double>(next()) / 2'147'483'648.0;
        auto const n = static_cast<std::size_t>(std::exp2(part * std::log2(most + 1)));
        matvec({memory + next() % 16, n * n}, {vectors + next() % 16, n},
               {vectors + largest + next() % 16, n}, static_cast<int>(n));
    }
#ifdef ATTUNE_BENCH_BAKED
    attune::baked_coverage const by = matvec.coverage();
    std::printf("variant %llu not_faster %llu unverified %llu unsupported %llu\n",
                static_cast<unsigned long long>(by.by_variant),
                static_cast<unsigned long long>(by.not_faster),
                static_cast<unsigned long long>(by.unverified),
                static_cast<unsigned long long>(by.unsupported));
#endif
    std::free(memory);
    std::free(vectors);
}
