// bench.measure.racing : what it takes to time variants, with racing and with 32 repetitions each.
// SPDX-License-Identifier: MIT
//
//   bench/bench.measure.racing [variants [seed]]
//
// The default search proposes variants of six kernels; each is timed both ways, one after the
// other: as a tuning does (until it is precise, or proven slower than the best so far), and 32
// times after one run to warm up. Then each way's leaders and the default are timed in turns, as in
// the final of a tuning. One line per kernel: seconds of processor time for timing all of them
// before that final, their ratio, and by how much the winner after racing is slower than that after
// 32 repetitions, from turns of both (negative: it is faster). The last line has the ratio of all
// kernels together.
#include <attune/compile/clang.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/measure/cpu/cpu_bench.hpp>
#include <attune/tune/loop/finals.hpp>
#include <attune/tune/loop/make_bench.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../examples/kernels/all.hpp"
#include "../support/arguments.hpp"
#include "../support/duel.hpp"
#include "../support/interleaved.hpp"

namespace {

struct totals {
    double racing_s = 0;
    double fixed_s = 0;
    double worst_gap = 0;
};

/// One way of timing: what it cost, and who may be the fastest by it.
struct way {
    double spent_s = 0;
    std::uint64_t samples = 0;
    double best_s = std::numeric_limits<double>::infinity();
    attune::callable first{};                         ///< the default
    std::optional<attune::detail::leaders> leaders{}; ///< of the others

    attune::measurement time(attune::point const& at, attune::callable const& code,
                             std::function<attune::measurement(double stop_above_s)> const& how)
    {
        double const begun_s = bench::thread_seconds();
        attune::measurement const m = how(best_s);
        spent_s += bench::thread_seconds() - begun_s;
        samples += m.samples;
        best_s = std::min(best_s, m.value);
        if (leaders) {
            leaders->consider({at, m, code});
        } else {
            first = code;
            leaders.emplace(m, code.object_key);
        }
        return m;
    }

    /// Who wins the final.
    template <class Kernel>
    [[nodiscard]] attune::callable winner(Kernel& problem, attune::detail::variant_timing& timing)
    {
        constexpr double limit_s = 2; // as in a tuning of a minute
        std::vector<attune::callable> field{first};
        for (attune::detail::finalist const& f : leaders->all())
            field.push_back(f.code);
        std::vector<std::function<void()>> calls;
        for (attune::callable const& code : field)
            calls.emplace_back([&problem, entry = code.as<typename Kernel::signature>()] {
                problem.call(*entry);
            });
        return field[attune::detail::result_of_final(timing.compare([] {}, calls, limit_s)).winner];
    }
};

template <class Kernel>
void run(std::uint32_t variants, std::uint64_t seed, totals& all)
{
    Kernel problem;
    attune::clang_compiler const compiler;
    auto const kernel = Kernel::kernel();
    attune::kernel_description const& d = kernel.describe();
    attune::chain_of_trees const space =
        attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), {});
    attune::any_searcher search = attune::default_search()(space, seed);

    attune::tuning_options const options{.progress = attune::silent_progress()};
    attune::detail::variant_timing timing(
        {},
        attune::detail::bench_options_of(options)); // these kernels only write what they compute
    attune::adaptive_timer_options fixed_options;
    fixed_options.precision = 0;
    fixed_options.max_samples = 32;
    fixed_options.max_s = std::numeric_limits<double>::infinity();
    attune::adaptive_timer const fixed_timer{fixed_options};

    way racing;
    way fixed;
    std::uint32_t timed = 0;
    std::string first_said;
    for (std::uint32_t asked = 0; asked < variants; ++asked) {
        std::optional<attune::point> const start = attune::detail::default_point(space);
        std::vector<attune::point> const next =
            asked == 0 && start ? std::vector<attune::point>{*start} : search.ask(1);
        if (next.empty()) break;
        auto compiled = compiler.compile(
            d.source, attune::detail::make_variant(d, space.describe(), next.front()));
        if (auto const* why = std::get_if<attune::failure>(&compiled)) {
            if (first_said.empty()) first_said = why->reason;
            search.tell(next.front(), *why);
            continue;
        }
        auto const code = std::get<attune::callable>(std::move(compiled));
        auto* const entry = code.as<typename Kernel::signature>();
        std::function<void()> const call = [&] { problem.call(*entry); };
        attune::measurement const m = racing.time(next.front(), code, [&](double stop_above_s) {
            return timing.time([] {}, call, stop_above_s);
        });
        static_cast<void>(
            fixed.time(next.front(), code, [&](double) { return fixed_timer.time([] {}, call); }));
        search.tell(next.front(), m);
        ++timed;
    }

    if (timed == 0)
        throw std::runtime_error(std::string(Kernel::name) +
                                 ": no variant of it compiles; the first said: " + first_said);
    double gap = 0;
    attune::callable const after_racing = racing.winner(problem, timing);
    attune::callable const after_fixed = fixed.winner(problem, timing);
    if (after_racing.object_key != after_fixed.object_key) {
        auto* const ours = after_racing.as<typename Kernel::signature>();
        auto* const other = after_fixed.as<typename Kernel::signature>();
        gap =
            bench::duel({}, [&] { problem.call(*other); }, [&] { problem.call(*ours); }).ratio - 1;
    }
    all.racing_s += racing.spent_s;
    all.fixed_s += fixed.spent_s;
    all.worst_gap = std::max(all.worst_gap, gap);
    std::printf("racing kernel=%s variants=%u racing_s=%.2f fixed_s=%.2f ratio=%.3f "
                "samples=%.1f winner_gap=%.4f\n",
                Kernel::name, timed, racing.spent_s, fixed.spent_s, racing.spent_s / fixed.spent_s,
                static_cast<double>(racing.samples) / timed, gap);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        std::uint32_t variants = 24;
        std::uint64_t seed = 0;
        bench::read_arguments(argc, argv, {{"variants", &variants, 1}, {"seed", &seed}});
        totals all;
        run<kernels::batched_gemm>(variants, seed, all);
        run<kernels::stencil2d>(variants, seed, all);
        run<kernels::convolution2d>(variants, seed, all);
        run<kernels::kmeans>(variants, seed, all);
        run<kernels::spmv>(variants, seed, all);
        run<kernels::spmm>(variants, seed, all);
        std::printf("total ratio=%.3f racing_s=%.2f fixed_s=%.2f winner_gap=%.4f\n",
                    all.racing_s / all.fixed_s, all.racing_s, all.fixed_s, all.worst_gap);
        return 0;
    });
}
