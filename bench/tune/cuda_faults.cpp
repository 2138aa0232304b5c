// bench.tune.cuda_faults : what a tuning loses when one in ten variants faults or hangs.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.cuda_faults [--evaluations N] [--seed S] [--device K]
//
// The same kernel is tuned twice with the same seed: as it is, and with every tenth configuration
// writing outside of all memory or never ending. Last line `total ratio=`: the time of what the
// second tuning found, without its faults, over that of the first.
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/cuda/device_array.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../support/arguments.hpp"

namespace {

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto block_x = attune::ordinal<"BLOCK_X">(attune::range(32, 1024, 32));
inline constexpr auto vec = attune::ordinal<"VEC">(attune::range(1, 16, 1));
inline constexpr auto space = attune::space(block_x, vec);

// Which configurations fault has nothing to do with how fast they are.
constexpr char const* text = R"(
#include <attune/tunable.hpp>
constexpr int block_x = ATTUNE_TUNABLE(BLOCK_X, 32);
constexpr int vec = ATTUNE_TUNABLE(VEC, 1);
constexpr unsigned mixed = (block_x * 2654435761u + vec * 40503u) >> 7;
extern "C" __global__ void __launch_bounds__(block_x)
saxpy(float const* __restrict__ x, float* __restrict__ y, float a, int n)
{
#ifdef FAULTY
    if (mixed % 20 == 3 && threadIdx.x == 0) *reinterpret_cast<volatile float*>(16) = a;
    if (mixed % 20 == 13) while (reinterpret_cast<volatile float const*>(x)[0] < 1e30f) {}
#endif
    int const first = blockIdx.x * block_x * vec + threadIdx.x;
#pragma unroll
    for (int k = 0; k < vec; ++k)
        if (int const i = first + k * block_x; i < n) y[i] += a * x[i];
}
)";

attune::tuning_report tune(attune::nvrtc_compiler const& compiler,
                           attune::tuning_options const& options, bool faulty)
{
    attune::kernel_source source = attune::source_text(text, "saxpy.kernel.cu");
    if (faulty) source.flags = {"-DFAULTY"};
    attune::kernel<void(attune::device_span<float const>, attune::device_span<float>, float, int)>
        kernel{"saxpy", source, space};
    kernel.bind<3>(n).grid(attune::ceil_div(n, block_x * vec)).block(block_x);

    int const size = 1 << 24;
    int const device = compiler.target().ordinal;
    std::vector<float> const ones(static_cast<std::size_t>(size), 1.0f);
    attune::device_array<float> const x{std::span<float const>{ones}, device};
    attune::device_array<float> y{std::span<float const>{ones}, device};
    attune::tuned saxpy{kernel, compiler, options};
    saxpy(x.span(), y.span(), 2.0f, size);
    attune::tuning_report const report = saxpy.report();
    std::printf("faults %s best_ms=%.4f evaluations=%u failures=%u seconds=%.1f protection=\"%s\" "
                "configuration=\"%s\"\n",
                faulty ? "with" : "without", report.best.value * 1e3, report.evaluations,
                attune::total(report.failures), report.elapsed_s, report.isolation.c_str(),
                report.configuration.c_str());
    std::fflush(stdout);
    return report;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        std::uint32_t evaluations = 60;
        std::uint64_t seed = 0;
        attune::nvrtc_options how;
        how.device = 0;
        bench::read_arguments(
            argc, argv,
            {{"--evaluations", &evaluations, 1}, {"--seed", &seed}, {"--device", &how.device}});
        attune::nvrtc_compiler const compiler{how};
        if (std::string const why = compiler.missing(); !why.empty()) {
            std::printf("faults skipped: %s\n", why.c_str());
            return 0;
        }
        attune::tuning_options const options{.limits = {.evaluations = evaluations, .seconds = 240},
                                             .search = {.seed = seed},
                                             .progress = attune::silent_progress()};
        attune::tuning_report const clean = tune(compiler, options, false);
        attune::tuning_report const faulty = tune(compiler, options, true);
        std::printf("total ratio=%.3f\n", faulty.best.value / clean.best.value);
        return 0;
    });
}
