// bench.tune.suite : how much faster tuning makes the kernels that people tune.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.suite [--kernels NAME[,NAME...]] [--evaluations N] [--seed S] [--table]
//                          [--record DIR]
//
// One line per kernel of examples/kernels: the times of the default and of the installed
// configuration, the 95 % interval of the latter over itself, their ratio, the time of the expert's
// configuration and its ratio to ours (both from interleaved pairs; na where none is known), and
// where our time stands under the roofline of this machine (na where no work is stated; the
// bandwidth is that of arrays as large as the kernel's, so that caches count where these fit).
// With --table also: the best after 20, 40 and 60 evaluations over the final best of all, for the
// default search, random search and a genetic algorithm. With --record instead: N random
// configurations of each kernel are measured and written to DIR/NAME.json, in the form T4, on which
// bench.search.replay and protocol run; the experts' times to DIR/experts.json. The kernels of
// all_scheduled.hpp, of 1e7 configurations and more, take part where they are named. The program
// ends with 1 when a result is wrong; that line says which.
#include <attune/compile/clang.hpp>
#include <attune/tune/roofline.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "../../examples/kernels/all.hpp"
#include "../support/arguments.hpp"
#include "../support/expert.hpp"
#include "../support/kernels.hpp"
#include "suite_recording.hpp"
#include "suite_table.hpp"

namespace {

struct arguments {
    std::string kernels{}; ///< comma separated; empty: all
    std::uint32_t evaluations = 60;
    std::uint64_t seed = 0;
    bool table = false;
    std::string record{}; ///< folder; empty: none
};

template <class Kernel>
void record(arguments const& asked, bench::suite_recording& into)
{
    Kernel problem;
    attune::clang_compiler const compiler;
    std::size_t const count =
        into.add<Kernel>(problem, compiler, asked.evaluations, asked.seed, [&](auto& tuned) {
            if (auto const c = bench::beside_expert(problem, compiler, tuned))
                into.note_expert(Kernel::name, c->b.value * 1e3);
        });
    std::printf("suite_recorded %s evaluations=%zu\n", Kernel::name, count);
    std::fflush(stdout);
}

/// @return  whether the result is right
template <class Kernel>
bool run(arguments const& asked)
{
    Kernel problem;
    attune::clang_compiler const compiler;
    attune::tuned tuned{Kernel::kernel(),
                        compiler,
                        {.limits = {.evaluations = asked.evaluations},
                         .search = {.seed = asked.seed},
                         .progress = attune::silent_progress()}};
    problem.call(tuned);
    if (std::string const wrong = kernels::difference(problem.result(), problem.expected(), 2e-3);
        !wrong.empty()) {
        std::printf("suite %s error=\"%s\"\n", Kernel::name, wrong.c_str());
        return false;
    }
    attune::tuning_report const report = tuned.report();

    char expert_ms[32] = "na";
    char vs_expert[32] = "na";
    if (auto const c = bench::beside_expert(problem, compiler, tuned)) {
        std::snprintf(expert_ms, sizeof expert_ms, "%.3f", c->b.value * 1e3);
        std::snprintf(vs_expert, sizeof vs_expert, "%.2f", c->ratio);
    }
    char roofline[32] = "na";
    if (report.roofline)
        std::snprintf(roofline, sizeof roofline, "%.2f", report.roofline->fraction);
    std::printf(
        "suite %s default_ms=%.3f best_ms=%.3f interval=%.3f speedup=%.2f expert_ms=%s "
        "vs_expert=%s evaluations=%u failures=%u seconds=%.1f roofline=%s configuration=\"%s\"\n",
        Kernel::name, report.default_time.value * 1e3, report.best.value * 1e3,
        (report.best.high - report.best.low) / report.best.value, report.speedup, expert_ms,
        vs_expert, report.evaluations, attune::total(report.failures), report.elapsed_s, roofline,
        report.configuration.c_str());
    std::fflush(stdout);
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"--kernels", &asked.kernels},
                               {"--evaluations", &asked.evaluations, 1},
                               {"--seed", &asked.seed},
                               {"--table", &asked.table},
                               {"--record", &asked.record}});
        if (!asked.record.empty()) {
            bench::suite_recording into(asked.record);
            bench::for_kernels_of(asked.kernels,
                                  [&]<class Kernel> { record<Kernel>(asked, into); });
            into.write_experts();
            return 0;
        }
        bool right = true;
        bench::for_kernels_of(asked.kernels,
                              [&]<class Kernel> { right = run<Kernel>(asked) && right; });
        bench::convergence_table table;
        bench::for_kernels_of(asked.kernels, [&]<class Kernel> {
            if (asked.table) table.add<Kernel>(asked.evaluations, asked.seed);
        });
        table.print();
        return right ? 0 : 1;
    });
}
