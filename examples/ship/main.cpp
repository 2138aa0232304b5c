// A program whose kernel tunes itself while it is developed, and starts tuned when it is released.
// CMakeLists.txt has the four commands.
#ifdef RELEASE
#include <attune/ship/baked.hpp>
#else
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#endif

#include <cstdio>
#include <span>
#include <string>
#include <vector>

using product = void(std::span<float const>, std::span<float const>, std::span<float>, int);

#ifdef RELEASE
static attune::baked<product> sgemm{attune::baked_kernel<"sgemm">};
#else
inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto tile_n = attune::ordinal<"TILE_N">(attune::powers_of_two(8, 64));
inline constexpr auto tile_k = attune::ordinal<"TILE_K">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
inline constexpr auto order = attune::permutation<"ORDER", 3>();
inline constexpr auto space = attune::space(tile_m, tile_n, tile_k, unroll, order)
                                  .where(4 * tile_n * tile_k <= 32 * 1024, tile_m % unroll == 0);
static attune::kernel<product> kernel{"sgemm", attune::source_file("../sgemm.kernel.cpp"), space};
static attune::tuned sgemm{kernel,
                           attune::clang_compiler{},
                           attune::store{"sgemm.attune"},
                           {.limits = {.evaluations = 20, .seconds = 20}}};
#endif

int main()
{
    int const n = 256;
    std::vector<float> a(n * n, 1.0f), b(n * n, 2.0f), c(n * n);
    sgemm(a, b, c, n); // the same call in both
    auto const served = sgemm.explain(a, b, c, n);
    std::printf("c[0] = %.0f\n%s\n%s\n", static_cast<double>(c[0]),
                std::string(served.configuration).c_str(), std::string(served.why).c_str());
}
