// bench.tune.pruning : what a tuning leaves out because its work takes longer than the best, and whether it is right.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.pruning [--kernels NAME[,NAME...]] [--evaluations N] [--sample N] [--seeds N]
//
// One line per kernel of examples/kernels. states: whether it states work of a configuration. Of
// --seeds tunings of N evaluations each: best_ms, and saved, the share of what the searches
// proposed that was neither compiled nor run; rebuilt, the share of the tunings that went on in a
// part of the space; left, the mean share of the configurations in it. Then --sample configurations
// that cannot beat the best by the roofline are measured nevertheless: share, how many of the drawn
// ones that are; pruned, how many were measured; worst_ratio, the time of the fastest over that of
// the best; beaten, how many were faster than the best by more than both intervals. us:
// microseconds for each verdict. The last line has the saved share of all kernels with such work
// together, and the worst of all. The program ends with 1 where a pruned configuration beats the
// best.
#include <attune/compile/clang.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/measure/cpu/cpu_bench.hpp>
#include <attune/search/random.hpp>
#include <attune/tune/loop/candidate_pruning.hpp>
#include <attune/tune/loop/make_bench.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/roofline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../examples/kernels/all.hpp"
#include "../support/arguments.hpp"
#include "../support/kernels.hpp"

namespace {

struct arguments {
    std::string kernels{}; ///< comma separated; empty: all
    std::uint32_t evaluations = 60;
    std::uint32_t sample = 200;
    std::uint32_t seeds = 3;
};

/// Of kernels that state work of a configuration.
struct totals {
    std::uint64_t tried = 0;
    std::uint64_t pruned = 0;
    std::size_t measured = 0;
    std::size_t beaten = 0;
    double worst_ratio = std::numeric_limits<double>::infinity();
    double worst_us = 0;
};

template <class... Args>
attune::call_frame frame_of(attune::kernel<void(Args...)> const&, auto& data)
{
    std::optional<attune::call_frame> out;
    data.call(
        [&](Args... args) { out.emplace(attune::detail::make_call_frame<Args...>({}, args...)); });
    return *std::move(out);
}

/// Configurations that a tuning with this best would leave out.
struct left_out {
    std::vector<attune::point> points{};
    double share = 0; ///< of the drawn ones
    double us = 0;    ///< each verdict
};

left_out draw(attune::tuning_problem const& problem, attune::detail::session_result const& best,
              attune::measurement const& time, std::size_t count)
{
    attune::detail::core_peaks const peaks = attune::detail::core_peaks_of_this_machine(true);
    attune::tuning_options options;
    options.search.prune = true;
    attune::detail::candidate_pruning pruning{
        problem,
        options,
        [](std::string const& said) { std::fprintf(stderr, "%s\n", said.c_str()); },
        {.peaks = [&](bool) { return peaks; }}};
    left_out out;
    if (!pruning.is_on() || pruning.measured(best.at, time)) return out;
    attune::random_searcher random{problem.space, 1};
    constexpr std::size_t most = 20'000;
    std::size_t drawn = 0;
    double spent_s = 0;
    while (drawn < most && out.points.size() < count) {
        std::vector<attune::point> const next = random.ask(1);
        if (next.empty()) break;
        ++drawn;
        double const begun_s = attune::detail::steady_seconds();
        bool const loses = pruning.cannot_win(next.front()).has_value();
        spent_s += attune::detail::steady_seconds() - begun_s;
        if (loses) out.points.push_back(next.front());
    }
    out.share = static_cast<double>(out.points.size()) /
                static_cast<double>(std::max<std::size_t>(drawn, 1));
    out.us = 1e6 * spent_s / static_cast<double>(std::max<std::size_t>(drawn, 1));
    return out;
}

/// @return  false: a pruned configuration beats the best
template <class Kernel>
bool run(arguments const& asked, totals& all)
{
    Kernel data;
    attune::clang_compiler const compiler;
    attune::detail::any_compiler const any = attune::detail::make_any_compiler(compiler);
    auto const kernel = Kernel::kernel();
    attune::kernel_description const& d = kernel.describe();
    attune::chain_of_trees const space =
        attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), {});
    attune::call_frame const frame = frame_of(kernel, data);
    attune::tuning_problem const problem{d, space, attune::detail::default_point(space).value(),
                                         any, frame};

    attune::tuning_options options{.limits = {.evaluations = asked.evaluations},
                                   .progress = attune::silent_progress()};
    std::optional<attune::detail::session_result> best;
    std::uint64_t tried = 0;
    std::uint64_t pruned = 0;
    std::uint32_t rebuilt = 0;
    double left = 0;
    for (std::uint32_t seed = 0; seed < asked.seeds; ++seed) {
        options.search.seed = seed;
        options.search.prune = true;
        attune::detail::session_result one = attune::detail::run_session(problem, options, {});
        tried += one.report.evaluations;
        pruned += one.report.pruned;
        rebuilt += one.report.left_share < 1 ? 1U : 0U;
        left += one.report.left_share;
        if (!best || one.report.best.value < best->report.best.value) best = std::move(one);
    }

    attune::detail::variant_timing timing({}, attune::detail::bench_options_of(options));
    auto const time_of = [&](attune::callable const& code, double stop_above_s) {
        auto* const entry = code.as<typename Kernel::signature>();
        return timing.time([] {}, [&] { data.call(*entry); }, stop_above_s);
    };
    double const never = std::numeric_limits<double>::infinity();
    attune::measurement time = time_of(best->code, never);
    left_out const losers = draw(problem, *best, time, asked.sample);
    std::size_t measured = 0;
    std::size_t beaten = 0;
    double worst_ratio = never;
    for (attune::point const& at : losers.points) {
        auto made =
            compiler.compile(d.source, attune::detail::make_variant(d, space.describe(), at));
        if (!std::holds_alternative<attune::callable>(made)) continue;
        attune::callable const code = std::get<attune::callable>(std::move(made));
        attune::measurement m = time_of(code, time.value);
        if (m.high <
            time.low) { // the machine may have been disturbed: both again, one after the other
            time = time_of(best->code, never);
            m = time_of(code, never);
        }
        ++measured;
        beaten += m.high < time.low ? 1U : 0U;
        worst_ratio = std::min(worst_ratio, m.value / time.value);
    }
    double const saved = static_cast<double>(pruned) / static_cast<double>(tried + pruned);
    if (d.work_varies) {
        all.tried += tried;
        all.pruned += pruned;
        all.measured += measured;
        all.beaten += beaten;
        all.worst_ratio = std::min(all.worst_ratio, worst_ratio);
        all.worst_us = std::max(all.worst_us, losers.us);
    }
    char ratio[32] = "na";
    if (measured > 0) std::snprintf(ratio, sizeof ratio, "%.3f", worst_ratio);
    std::printf(
        "pruning kernel=%s states=%s best_ms=%.3f saved=%.3f rebuilt=%.2f left=%.4f share=%.3f "
        "pruned=%zu worst_ratio=%s beaten=%zu us=%.2f\n",
        Kernel::name, d.work_varies ? "yes" : "no", best->report.best.value * 1e3, saved,
        static_cast<double>(rebuilt) / asked.seeds, left / asked.seeds, losers.share, measured,
        ratio, beaten, losers.us);
    std::fflush(stdout);
    return beaten == 0;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"--kernels", &asked.kernels},
                               {"--evaluations", &asked.evaluations, 1},
                               {"--sample", &asked.sample, 1},
                               {"--seeds", &asked.seeds, 1}});
        totals all;
        bool is_right = true;
        bench::for_kernels_of(
            asked.kernels, [&]<class Kernel> { is_right = run<Kernel>(asked, all) && is_right; });
        std::printf("total saved=%.3f pruned=%zu worst_ratio=%.3f beaten=%zu us=%.2f\n",
                    static_cast<double>(all.pruned) /
                        static_cast<double>(std::max<std::uint64_t>(all.tried + all.pruned, 1)),
                    all.measured, all.measured > 0 ? all.worst_ratio : 0.0, all.beaten,
                    all.worst_us);
        return is_right ? 0 : 1;
    });
}
