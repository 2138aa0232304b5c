// bench.tune.sgemm : how fast the first example's matrix product gets, beside Eigen and OpenBLAS.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.sgemm [evaluations [seed]]
//
// One line per size: medians of interleaved runs on one core, in milliseconds of processor time;
// vs_x is the time of x over ours, so that more than 1 means we are faster.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "../support/interleaved.hpp"
#include "../support/openblas.hpp"

namespace {

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto tile_n = attune::ordinal<"TILE_N">(attune::powers_of_two(8, 64));
inline constexpr auto tile_k = attune::ordinal<"TILE_K">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
inline constexpr auto order = attune::permutation<"ORDER", 3>();
inline constexpr auto space = attune::space(tile_m, tile_n, tile_k, unroll, order)
                                  .where(4 * tile_n * tile_k <= 32 * 1024, tile_m % unroll == 0);

using sgemm_kernel =
    attune::kernel<void(std::span<float const>, std::span<float const>, std::span<float>, int)>;

std::vector<float> random_matrix(int n, std::uint64_t seed)
{
    attune::random_engine engine{seed};
    std::vector<float> out(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (float& v : out)
        v = static_cast<float>(attune::uniform_unit(engine)) - 0.5f;
    return out;
}

void run(int n, std::uint32_t evaluations, std::uint64_t seed)
{
    sgemm_kernel const kernel{
        "sgemm", attune::source_file("../../examples/sgemm.kernel.cpp"), space};
    std::vector<float> const a = random_matrix(n, 1);
    std::vector<float> const b = random_matrix(n, 2);
    std::vector<float> c(a.size());

    auto const tuned_with = [&](std::uint32_t evaluation_limit) {
        return attune::tuned{kernel,
                             attune::clang_compiler{},
                             attune::memory_store{},
                             {.limits = attune::budget::of_evaluations(evaluation_limit),
                              .seed = seed,
                              .progress = attune::silent_progress()}};
    };
    auto best = tuned_with(evaluations);
    auto plain = tuned_with(1); // one evaluation: the default
    best(a, b, c, n);
    plain(a, b, c, n);

    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<matrix const> const ea(a.data(), n, n);
    Eigen::Map<matrix const> const eb(b.data(), n, n);
    Eigen::Map<matrix> ec(c.data(), n, n);
    bench::cblas_sgemm_function const blas = bench::openblas_sgemm();
    constexpr int row_major = 101;
    constexpr int not_transposed = 111;

    std::vector<std::function<void()>> contestants{
        [&] { best(a, b, c, n); }, [&] { plain(a, b, c, n); }, [&] { ec.noalias() = ea * eb; }};
    if (blas != nullptr)
        contestants.push_back([&] {
            blas(row_major,
                 not_transposed,
                 not_transposed,
                 n,
                 n,
                 n,
                 1.0f,
                 a.data(),
                 n,
                 b.data(),
                 n,
                 0.0f,
                 c.data(),
                 n);
        });
    std::vector<double> const s = bench::interleaved_medians(contestants, n <= 512 ? 31 : 11);

    attune::tuning_report const report = best.report();
    char vs_openblas[32] = "na";
    if (blas != nullptr) std::snprintf(vs_openblas, sizeof vs_openblas, "%.2f", s[3] / s[0]);
    std::printf("sgemm n=%d default_ms=%.3f best_ms=%.3f speedup=%.2f vs_eigen=%.2f vs_openblas=%s "
                "evaluations=%u failures=%u seconds=%.1f\n",
                n,
                s[1] * 1e3,
                s[0] * 1e3,
                s[1] / s[0],
                s[2] / s[0],
                vs_openblas,
                report.evaluations,
                attune::total(report.failures),
                report.elapsed_s);
    std::printf("sgemm_detail n=%d configuration=\"%s\" compile_s=%.2f same_code=%u gflops=%.1f\n",
                n,
                report.configuration.c_str(),
                report.compile_s,
                report.same_code,
                2e-9 * n * n * n / s[0]);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    auto const evaluations =
        static_cast<std::uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 60);
    std::uint64_t const seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
    run(512, evaluations, seed);
    run(1024, evaluations, seed);
}
