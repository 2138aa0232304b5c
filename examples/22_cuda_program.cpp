// 22 - a program on a GPU: the same statements as for the processor, as one kernel for NVRTC.
// Shows a product with bias and relu in one launch, with tuned tiles. The build needs no CUDA
// header or library; without a GPU the program prints the kernel's text and ends.
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/tune/program/nest.hpp>

#include <cstdio>
#include <string>
#include <vector>

// 1. The mathematics: no loop, no thread. The product stays in registers for the second statement.
namespace {
constexpr auto m = attune::input<"M", int>();
auto const [i, j, k] = attune::axes<"i", "j", "k">();
constexpr auto x = attune::array<"x", float, m, 512>();
constexpr auto weights = attune::array<"weights", float, 512, 512>();
constexpr auto bias = attune::array<"bias", float, 512>();
constexpr auto y = attune::array<"y", float, m, 512>();
constexpr auto product = attune::temporary<"product", float, m, 512>();
constexpr auto layer =
    attune::nest<"layer">(product[i][j] = attune::sum(k)(x[i][k] * weights[k][j]),
                          y[i][j] = attune::max(product[i][j] + bias[j], 0.0f));
} // namespace

int main()
{
    attune::nvrtc_compiler const compiler;
    if (std::string const why = compiler.missing(); !why.empty()) {
        std::printf("skipped: %s\n%s", why.c_str(), attune::show_device(layer).c_str());
        return 0;
    }
    int const rows = 1024;
    std::vector<float> a(rows * 512, 1.0f), w(512 * 512, 0.5f), b(512, 2.0f), out(rows * 512);

    // 2. The kernel of the program; inputs that are extents are bound, and the launch is known.
    //    With the limits of the device a block may have all of its shared memory.
    //    layer.resident_kernel() takes arrays that stay on the device, as attune::device_span.
    attune::tuned fast{layer.device_kernel({.device = compiler.target().limits}), compiler,
                       attune::store{"layer.attune"}};
    fast(a, w, b, out, rows);
    std::printf("y[0] = %.0f\n%s\n", static_cast<double>(out[0]), fast.report().summary().c_str());
}
// prints:
// y[0] = 258
// #x faster than the default: *; BLOCK_ROWS=#*; # evaluations in # *
// or: keeps the default BLOCK_ROWS=#*: nothing was proven faster*; # evaluations in # *
