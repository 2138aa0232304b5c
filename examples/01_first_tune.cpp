// 01 - first tune: a plain C++ matrix product becomes several times faster. Takes seconds, once.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <span>
#include <vector>

// 1. The parameters of the kernel, and what must hold between them.
inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto tile_n = attune::ordinal<"TILE_N">(attune::powers_of_two(8, 64));
inline constexpr auto tile_k = attune::ordinal<"TILE_K">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
inline constexpr auto order = attune::permutation<"ORDER", 3>();
inline constexpr auto flags = attune::flags<"FLAGS">("-O3", "-mprefer-vector-width=512");
inline constexpr auto space = attune::space(tile_m, tile_n, tile_k, unroll, order, flags)
                                  .where(4 * tile_n * tile_k <= 32 * 1024, tile_m % unroll == 0);

int main()
{
    // 2. The kernel: ordinary C++ in its own file; TILE_M, TILE_N, ... reach it as macros.
    attune::kernel<void(std::span<float const>, std::span<float const>, std::span<float>, int)>
        kernel{"sgemm", attune::source_file("sgemm.kernel.cpp"), space};

    // 3. Call it. The first call tunes and remembers; later calls, and later runs, do not.
    attune::tuned sgemm{kernel, attune::clang_compiler{}, attune::store{"sgemm.attune"}};
    int const n = 512;
    std::vector<float> a(n * n, 1.0f), b(n * n, 2.0f), c(n * n);
    sgemm(a, b, c, n);
    std::printf("c[0] = %.0f\n%s\n", static_cast<double>(c[0]), sgemm.report().summary().c_str());
}
// prints:
// c[0] = 1024
// #x faster than the default: *; TILE_M=# *; # evaluations in #*
// or: keeps the default TILE_M=# *: nothing was proven faster*; # evaluations in #*
