// bench.compile.ahead : what compiling the next variant during a measurement saves.
// SPDX-License-Identifier: MIT
//
//   bench/bench.compile.ahead [evaluations [rounds]]
//
// `ahead`: wall seconds of a tuning that compiles between the measurements and of one that compiles
// ahead, medians of interleaved rounds; their winners, timed against each other by pairs when
// nothing else runs (winner_ratio is ahead over serial, with its 95 % interval); seen_over_quiet_x
// is what the time of x's winner was during its tuning, over what it is then: were the measurements
// disturbed by the compiler beside them, that of `ahead` would be the larger one.
// `same_code`: how many evaluations of a tuning took the outcome of a variant with equal code.
#include <attune/compile/clang.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../examples/kernels/all.hpp"
#include "../support/arguments.hpp"
#include "../support/duel.hpp"
#include "../support/median.hpp"

namespace {

/// A compiler of its own for every tuning: each one parses the headers once.
template <class Kernel>
auto tuned_with(std::uint32_t ahead, std::uint32_t evaluations, double precision)
{
    return attune::tuned{Kernel::kernel(),
                         attune::clang_compiler{},
                         {.limits = {.evaluations = evaluations},
                          .measuring = {.precision = precision},
                          .progress = attune::silent_progress(),
                          .compile_ahead = ahead}};
}

template <class Kernel>
void compare(std::uint32_t evaluations, int rounds)
{
    Kernel problem;
    std::vector<double> serial_s;
    std::vector<double> ahead_s;
    std::vector<double> compile_share;
    std::vector<double> seen_serial;
    std::vector<double> seen_ahead;
    std::vector<double> same_code_share;
    bench::comparison winners;
    for (int round = 0; round < rounds; ++round) {
        auto serial = tuned_with<Kernel>(0, evaluations, 0.01);
        auto ahead = tuned_with<Kernel>(1, evaluations, 0.01);
        for (int turn = 0; turn < 2; ++turn)
            if ((turn + round) % 2 == 0)
                problem.call(serial);
            else
                problem.call(ahead);
        attune::tuning_report const without = serial.report();
        attune::tuning_report const with = ahead.report();
        winners = bench::duel(
            {}, [&] { problem.call(serial); }, [&] { problem.call(ahead); }, {.max_s = 3});
        serial_s.push_back(without.elapsed_s);
        ahead_s.push_back(with.elapsed_s);
        compile_share.push_back(without.compile_s / without.elapsed_s);
        seen_serial.push_back(without.best.value / winners.a.value);
        seen_ahead.push_back(with.best.value / winners.b.value);
        same_code_share.push_back(static_cast<double>(with.same_code) / with.evaluations);
        std::printf("ahead_round kernel=%s round=%d serial_s=%.2f ahead_s=%.2f "
                    "winner_serial_ms=%.3f winner_ahead_ms=%.3f winner_ratio=%.3f low=%.3f "
                    "high=%.3f\n",
                    Kernel::name, round, without.elapsed_s, with.elapsed_s, winners.a.value * 1e3,
                    winners.b.value * 1e3, winners.ratio, winners.low, winners.high);
        std::fflush(stdout);
    }
    std::printf("ahead kernel=%s serial_s=%.2f ahead_s=%.2f ratio=%.2f winner_serial_ms=%.3f "
                "winner_ahead_ms=%.3f winner_ratio=%.3f compile_share=%.2f "
                "seen_over_quiet_serial=%.3f seen_over_quiet_ahead=%.3f "
                "same_code_share=%.2f\n",
                Kernel::name, bench::median(serial_s), bench::median(ahead_s),
                bench::median(ahead_s) / bench::median(serial_s), winners.a.value * 1e3,
                winners.b.value * 1e3, winners.ratio, bench::median(compile_share),
                bench::median(seen_serial), bench::median(seen_ahead),
                bench::median(same_code_share));
    std::fflush(stdout);
}

template <class Kernel>
void count_same_code(std::uint32_t evaluations)
{
    Kernel problem;
    auto tuned = tuned_with<Kernel>(1, evaluations, 0.1); // coarse: only the counts are of interest
    problem.call(tuned);
    attune::tuning_report const report = tuned.report();
    std::printf("same_code kernel=%s evaluations=%u same_code=%u share=%.2f\n", Kernel::name,
                report.evaluations, report.same_code,
                static_cast<double>(report.same_code) / report.evaluations);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        std::uint32_t evaluations = 60;
        int rounds = 3;
        bench::read_arguments(argc, argv,
                              {{"evaluations", &evaluations, 1}, {"rounds", &rounds, 1}});
        if (attune::detail::allowed_cores() < 2) {
            std::printf("ahead skipped: this process may use one core only\n");
            return 0;
        }
        compare<kernels::sgemm>(evaluations, rounds);
        compare<kernels::stencil2d>(evaluations, rounds);
        kernels::for_each_kernel([&]<class Kernel> { count_same_code<Kernel>(evaluations); });
        return 0;
    });
}
