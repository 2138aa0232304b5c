// bench.tune.cuda : how much faster tuning makes the GPU kernels that people tune.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.cuda [--kernels NAME[,NAME...]] [--evaluations N] [--seed S] [--device K]
//                         [--architecture A] [--unchecked]
//
// One line per kernel of examples/kernels/cuda: the times of the default and of the installed
// configuration, the 95 % interval of the latter over itself, their ratio, the time of a library's
// routine (na where there is none) and its ratio to ours, how many configurations failed and by
// which stage (failed_by="launch:3,verify:1"; "" where none did), and then the first reason of each
// stage on a line of its own, `cuda_failure`. Where no kernel can be run, the one line
// `cuda skipped:` says why. With --architecture nothing is run, whatever device there is: the
// kernels are tuned by what their compiled code takes of a device of that architecture.
// A result that differs from that of a plain computation makes its line an error, and the
// program ends with 1. That computation takes one core of the host a while; --unchecked leaves it
// out.
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/cuda/device_array.hpp>
#include <attune/cuda/primary_context.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../../examples/kernels/cuda/all_cuda.hpp"
#include "../support/arguments.hpp"
#include "../support/cublas.hpp"
#include "../support/device_time.hpp"
#include "../support/names.hpp"

namespace {

struct arguments {
    std::string kernels{}; ///< comma separated; empty: all
    std::uint32_t evaluations = 60;
    std::uint64_t seed = 0;
    int device = 0;
    int architecture = 0; ///< 90: predict for sm_90
    bool unchecked = false;
};

/// Seconds of the library's routine on the same data.
template <class Kernel>
std::optional<double> library_seconds(attune::cuda_target const& target, Kernel const& problem)
{
    attune::detail::cuda::primary_context const context{target.driver, target.ordinal};
    attune::detail::cuda::context_scope const here{context};
    bench::cublas const library;
    if (!library.is_there()) return {};
    int const n = problem.size;
    auto const time = [&](auto const& work) { return bench::device_seconds(*target.driver, work); };
    if constexpr (std::is_same_v<Kernel, kernels::cuda::sgemm>) {
        attune::device_array<float> const a{std::span<float const>{problem.a}, target.ordinal};
        attune::device_array<float> const b{std::span<float const>{problem.b}, target.ordinal};
        attune::device_array<float> c{problem.c.size(), target.ordinal};
        return time(
            [&] { return library.sgemm(a.span().data(), b.span().data(), c.span().data(), n); });
    } else if constexpr (std::is_same_v<Kernel, kernels::cuda::transpose>) {
        attune::device_array<float> const in{std::span<float const>{problem.in}, target.ordinal};
        attune::device_array<float> out{problem.out.size(), target.ordinal};
        return time([&] { return library.transpose(in.span().data(), out.span().data(), n); });
    } else if constexpr (std::is_same_v<Kernel, kernels::cuda::reduction>) {
        attune::device_array<float> const x{std::span<float const>{problem.x}, target.ordinal};
        attune::device_array<float> sum{1, target.ordinal};
        return time([&] { return library.sum(x.span().data(), n, sum.span().data()); });
    } else
        return {};
}

struct totals {
    int kernels = 0;
    int twice = 0; ///< at least twice as fast as their default
    int wrong = 0; ///< of another result than the plain computation
};

attune::tuning_options options_of(arguments const& asked)
{
    return {.limits = {.evaluations = asked.evaluations, .seconds = 120},
            .search = {.seed = asked.seed},
            .progress = attune::silent_progress()};
}

/// What is wrong with the result of the last call; empty: nothing.
template <class Kernel>
std::string wrong_in(Kernel const& problem)
{
    auto const result = problem.result();
    std::vector<float> const got(result.begin(), result.end());
    std::vector<double> expected = problem.expected();
    if constexpr (std::is_same_v<Kernel, kernels::cuda::point_in_polygon>) {
        // A point almost on an edge: in single precision, on the host, 1 of these 20 million lies
        // on the other side of it.
        std::size_t allowed = got.size() / 1'000'000;
        for (std::size_t i = 0; i < std::min(got.size(), expected.size()) && allowed > 0; ++i)
            if (double const lies = static_cast<double>(got[i]); lies == 1 - expected[i]) {
                expected[i] = lies;
                --allowed;
            }
    }
    // What is counted has no error, and no count is too large for single precision.
    bool const is_counted = std::is_same_v<std::remove_cvref_t<decltype(result[0])>, int>;
    return kernels::difference(got, expected, is_counted ? 0 : 2e-3);
}

/// "launch:3,verify:1"
std::string stages_of(attune::failure_counts const& failures)
{
    constexpr char const* names[] = {"compile", "load",   "launch", "crash",
                                     "timeout", "verify", "bound"};
    static_assert(std::size(names) == attune::detail::failure_stage_count);
    std::string out;
    for (std::size_t i = 0; i < failures.size(); ++i)
        if (failures[i] > 0)
            out += (out.empty() ? "" : ",") + (names[i] + (':' + std::to_string(failures[i])));
    return out;
}

void print_reasons(char const* kernel, attune::tuning_report const& report)
{
    for (attune::failure const& why : report.first_failures)
        std::printf("cuda_failure %s %s: %s\n", kernel, std::string(describe(why.stage)).c_str(),
                    why.reason.c_str());
    std::fflush(stdout);
}

template <class Kernel>
void run(arguments const& asked, attune::nvrtc_compiler const& compiler, totals& all)
{
    Kernel problem;
    attune::tuned tuned{Kernel::kernel(), compiler, options_of(asked)};
    problem.call(tuned);
    if (std::string const wrong = asked.unchecked ? "" : wrong_in(problem); !wrong.empty()) {
        std::printf("cuda %s error=\"%s\"\n", Kernel::name, wrong.c_str());
        ++all.wrong;
        return;
    }
    attune::tuning_report const report = tuned.report();
    std::optional<double> const rival = library_seconds(compiler.target(), problem);
    char library_ms[32] = "na";
    char vs_library[32] = "na";
    if (rival) {
        std::snprintf(library_ms, sizeof library_ms, "%.4f", *rival * 1e3);
        std::snprintf(vs_library, sizeof vs_library, "%.2f", *rival / report.best.value);
    }
    ++all.kernels;
    if (report.speedup >= 2) ++all.twice;
    std::printf("cuda %s default_ms=%.4f best_ms=%.4f interval=%.3f speedup=%.2f library_ms=%s "
                "vs_library=%s evaluations=%u failures=%u failed_by=\"%s\" seconds=%.1f "
                "configuration=\"%s\"\n",
                Kernel::name, report.default_time.value * 1e3, report.best.value * 1e3,
                (report.best.high - report.best.low) / report.best.value, report.speedup,
                library_ms, vs_library, report.evaluations, attune::total(report.failures),
                stages_of(report.failures).c_str(), report.elapsed_s, report.configuration.c_str());
    print_reasons(Kernel::name, report);
}

template <class Kernel>
void predict(arguments const& asked, attune::nvrtc_compiler const& compiler)
{
    Kernel problem;
    attune::tuned tuned{Kernel::kernel(), compiler, options_of(asked)};
    attune::tuning_report report;
    problem.call([&](auto&&... args) { report = tuned.predict(args...); });
    std::printf("cuda_predicted %s default=%.4f best=%.4f evaluations=%u failures=%u "
                "failed_by=\"%s\" compile_s=%.2f seconds=%.1f configuration=\"%s\"\n",
                Kernel::name, report.default_time.value, report.best.value, report.evaluations,
                attune::total(report.failures), stages_of(report.failures).c_str(),
                report.compile_s, report.elapsed_s, report.configuration.c_str());
    print_reasons(Kernel::name, report);
}

int measure(arguments const& asked)
{
    attune::nvrtc_options options;
    options.device = asked.device;
    options.architecture = asked.architecture;
    // A device of that very architecture would be found, and the kernels would run on it.
    if (asked.architecture != 0) options.driver = "no driver: nothing is run";
    attune::nvrtc_compiler const compiler{options};
    if (asked.architecture == 0)
        if (std::string const why = compiler.missing(); !why.empty()) {
            std::printf("cuda skipped: %s\n", why.c_str());
            return 0;
        }
    std::printf("device name=\"%s\" compiler=\"%s\"\n", compiler.target().limits.name.c_str(),
                compiler.identity().c_str());
    totals all;
    kernels::for_each_cuda_kernel([&]<class Kernel> {
        if (!bench::is_in(asked.kernels, Kernel::name)) return;
        if (asked.architecture == 0)
            run<Kernel>(asked, compiler, all);
        else
            predict<Kernel>(asked, compiler);
    });
    if (all.kernels > 0) std::printf("total at_least_2x=%d of=%d\n", all.twice, all.kernels);
    return all.wrong == 0 ? 0 : 1;
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
                               {"--device", &asked.device},
                               {"--architecture", &asked.architecture, 1},
                               {"--unchecked", &asked.unchecked}});
        std::vector<std::string> names;
        kernels::for_each_cuda_kernel([&]<class Kernel> { names.emplace_back(Kernel::name); });
        bench::require_known("--kernels", asked.kernels, names);
        return measure(asked);
    });
}
