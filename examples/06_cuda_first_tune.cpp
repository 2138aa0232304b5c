// 06 - first tune on a GPU: the same three steps, compiled by NVRTC, launched by the driver.
// Shows the geometry of a launch as expressions. The build needs no CUDA header or library;
// without a GPU the program says so and ends.
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

// 1. Parameters, and an input: the size of the problem decides the number of blocks.
inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto block_x = attune::ordinal<"BLOCK_X">(attune::powers_of_two(32, 1024));
inline constexpr auto vec = attune::ordinal<"VEC">(attune::powers_of_two(1, 16));
inline constexpr auto space = attune::space(block_x, vec);

int main()
{
    attune::nvrtc_compiler const compiler;
    if (std::string const why = compiler.missing(); !why.empty()) { // no driver, device or NVRTC
        std::printf("skipped: %s\n", why.c_str());
        return 0;
    }
    int const size = 1 << 24;
    std::vector<float> x(size, 1.0f), y(size, 2.0f);

    // 2. The kernel and its launch. attune adds the limits of the device.
    attune::kernel<void(std::span<float const>, std::span<float>, float, int)> kernel{
        "saxpy", attune::source_file("saxpy.kernel.cpp"), space};
    kernel.bind<3>(n).grid(attune::ceil_div(n, block_x * vec)).block(block_x);

    // 3. Call it. These arrays are the host's, so a call copies them; example 07 has arrays on the
    //    device. The tuning times the kernel alone.
    attune::tuned saxpy{kernel, compiler, attune::store{"saxpy.attune"}};
    saxpy(x, y, 3.0f, size);

    std::printf("y[0] = %.0f\n%s\n", static_cast<double>(y[0]), saxpy.report().summary().c_str());
}
// prints:
// y[0] = 5
// #x faster than the default: *; BLOCK_X=# VEC=#*; # evaluations in # *
// or: keeps the default BLOCK_X=# VEC=#*: nothing was proven faster*; # evaluations in # *
