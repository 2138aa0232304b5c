// bench.tune.sgemm : how fast the first example's matrix product gets, beside Eigen and OpenBLAS.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.sgemm [evaluations [seed]]
//
// One line per size: medians of interleaved runs on one core, in milliseconds of processor time;
// vs_x is the time of x over ours, so that more than 1 means we are faster.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "../../examples/kernels/sgemm.hpp"
#include "../support/arguments.hpp"
#include "../support/eigen_product.hpp"
#include "../support/interleaved.hpp"
#include "../support/openblas.hpp"

namespace {

void run(int n, std::uint32_t evaluations, std::uint64_t seed)
{
    // As the example declares it: without its work, for which a tuning would measure a roofline.
    attune::kernel<kernels::sgemm::signature> const kernel{
        "sgemm", attune::source_file("../../examples/sgemm.kernel.cpp"), kernels::sgemm::space};
    kernels::sgemm problem{.n = n};

    auto const tuned_with = [&](std::uint32_t evaluation_limit) {
        return attune::tuned{kernel,
                             attune::clang_compiler{},
                             {.limits = {.evaluations = evaluation_limit},
                              .search = {.seed = seed},
                              .progress = attune::silent_progress()}};
    };
    auto best = tuned_with(evaluations);
    auto plain = tuned_with(1); // one evaluation: the default
    problem.call(best);
    problem.call(plain);

    bench::product_function const eigen = bench::eigen_product();
    bench::cblas_sgemm_function const blas = bench::openblas_sgemm();
    constexpr int row_major = 101;
    constexpr int not_transposed = 111;

    std::vector<std::function<void()>> contestants{
        [&] { problem.call(best); }, [&] { problem.call(plain); },
        [&] { eigen(problem.a.data(), problem.b.data(), problem.c.data(), n, n, n); }};
    if (blas != nullptr)
        contestants.push_back([&] {
            blas(row_major, not_transposed, not_transposed, n, n, n, 1.0f, problem.a.data(), n,
                 problem.b.data(), n, 0.0f, problem.c.data(), n);
        });
    std::vector<double> const s = bench::interleaved_medians(contestants, n <= 512 ? 31 : 11);

    attune::tuning_report const report = best.report();
    char vs_openblas[32] = "na";
    if (blas != nullptr) std::snprintf(vs_openblas, sizeof vs_openblas, "%.2f", s[3] / s[0]);
    std::printf("sgemm n=%d default_ms=%.3f best_ms=%.3f speedup=%.2f vs_eigen=%.2f vs_openblas=%s "
                "evaluations=%u failures=%u seconds=%.1f\n",
                n, s[1] * 1e3, s[0] * 1e3, s[1] / s[0], s[2] / s[0], vs_openblas,
                report.evaluations, attune::total(report.failures), report.elapsed_s);
    std::printf("sgemm_detail n=%d configuration=\"%s\" compile_s=%.2f same_code=%u gflops=%.1f\n",
                n, report.configuration.c_str(), report.compile_s, report.same_code,
                2e-9 * n * n * n / s[0]);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        std::uint32_t evaluations = 60;
        std::uint64_t seed = 0;
        bench::read_arguments(argc, argv, {{"evaluations", &evaluations, 1}, {"seed", &seed}});
        run(512, evaluations, seed);
        run(1024, evaluations, seed);
        return 0;
    });
}
