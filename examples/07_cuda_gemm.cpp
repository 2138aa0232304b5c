// 07 - a matrix product on a GPU: arrays that stay on the device, and rules over the compiled code.
// The build needs no CUDA header or library; without a GPU the program says so and ends.
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/cuda/device_array.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto block_m = attune::ordinal<"BLOCK_M">(attune::powers_of_two(16, 128));
inline constexpr auto block_n = attune::ordinal<"BLOCK_N">(attune::powers_of_two(16, 128));
inline constexpr auto block_k = attune::ordinal<"BLOCK_K">(attune::powers_of_two(4, 32));
inline constexpr auto thread_m = attune::ordinal<"THREAD_M">(attune::powers_of_two(1, 8));
inline constexpr auto thread_n = attune::ordinal<"THREAD_N">(attune::powers_of_two(1, 8));
inline constexpr auto threads = block_m / thread_m * (block_n / thread_n);
inline constexpr auto space = attune::space(block_m, block_n, block_k, thread_m, thread_n)
                                  .where(threads >= 32, (block_m * block_k) % threads == 0,
                                         (block_n * block_k) % threads == 0);

// The kernel takes pointers; the host passes device_spans, which have lengths.
using signature = void(attune::device_span<float const>, attune::device_span<float const>,
                       attune::device_span<float>, int);

static attune::kernel<signature> make_kernel()
{
    attune::kernel<signature> kernel{"gemm", attune::source_file("gemm.kernel.cu"), space};
    kernel.bind<3>(n).grid(attune::ceil_div(n, block_n), attune::ceil_div(n, block_m));
    kernel.block(threads).require(attune::spill_bytes == 0); // read from compiled code
    return kernel;
}

int main()
{
    int const size = 2048;
    attune::nvrtc_compiler const compiler;
    if (std::string const why = compiler.missing(); !why.empty()) {
        std::printf("skipped: %s\n", why.c_str());
        return 0;
    }
    std::vector<float> const ones(size * size, 1.0f);
    attune::device_array<float> const a{ones}, b{ones}; // memory from cudaMalloc works, too
    attune::device_array<float> c(ones.size());

    attune::tuned gemm{make_kernel(), compiler, attune::store{"gemm.attune"}};
    gemm(a.span(), b.span(), c.span(), size); // tunes, or remembers
    gemm(a.span(), b.span(), c.span(), size); // costs what cuLaunchKernel costs

    attune::tuning_report const report = gemm.report();
    std::printf("c[0] = %.0f\n%s\n", static_cast<double>(c.to_host()[0]), report.summary().c_str());
    std::printf("%.0f GFLOP/s\n", 2.0 * size * size * size / report.best.value * 1e-9);
}
// prints:
// c[0] = 2048
// #x faster than the default: *; BLOCK_M=# *; # evaluations in # *
// or: keeps the default BLOCK_M=# *: nothing was proven faster*; # evaluations in # *
// # GFLOP/s
