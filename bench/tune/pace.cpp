// bench.tune.pace : what an evaluation costs beside one compilation and the runs that it needs.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.pace [--kernels NAME[,NAME...]] [--evaluations 40] [--seed S]
//
// A line for each kernel of examples/kernels; for an LU decomposition of 700 rows, which takes
// about 15 ms, and one of 1300 rows, which takes about 100 ms; and for a lattice Boltzmann step:
//   losers      evaluations that took more than 1.35 times the best before them
//   seconds     of the whole tuning; final: the share of the final in them
// All others are of the evaluations alone, without the final:
//   runs        executions of the default and of variants in an evaluation, also in child processes
//   compile     share of compilers on all threads, beside the seconds of the tuning
//   run         share of these executions
//   wait        share in which the tuning thread compiled, or waited for code
//   search      share of the search
//   restore     share of the rest: restoring, comparing and copying arrays, and child processes
//   vs_ideal    their seconds over the ideal: compilation on another core, of each new code a first
//               run, one timed run of a loser, and seven of every other variant
// The last line has the mean of runs, the geometric mean of vs_ideal, and the largest final.
#include <attune/compile/clang.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/tune/loop/finals.hpp>
#include <attune/tune/loop/session.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "../../examples/kernels/all.hpp"
#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "served_outside.hpp"

namespace {

struct arguments {
    std::string kernels{}; ///< comma separated; empty: all
    std::uint32_t evaluations = 40;
    std::uint64_t seed = 0;
};

/// Flags that change the time of plain loops.
constexpr auto flags = attune::flags<"FLAGS">("-O3", "-O2", "-O1", "-mprefer-vector-width=512");

template <int Rows>
struct lu_of {
    static constexpr auto rows =
        attune::ordinal<"ROWS">(attune::values(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16));
    static constexpr auto space = attune::space(rows, flags);
    using signature = bench::lu::signature;
    static attune::kernel<signature> kernel() { return bench::lu::kernel_in(space); }
    lu_of() { data.resize({Rows}); }
    void call(auto&& run) { data.call(run); }
    bench::lu data;
};
struct lu_700 : lu_of<700> {
    static constexpr char const* name = "lu_700";
};
struct lu_1300 : lu_of<1300> {
    static constexpr char const* name = "lu_1300";
};

struct lattice_boltzmann {
    static constexpr char const* name = "lattice_boltzmann";
    static constexpr auto tile =
        attune::ordinal<"TILE">(attune::values(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64));
    static constexpr auto space = attune::space(tile, flags);
    using signature = bench::lattice_boltzmann::signature;
    static attune::kernel<signature> kernel() { return bench::lattice_boltzmann::kernel_in(space); }
    lattice_boltzmann() { data.resize({400, 500}); }
    void call(auto&& run) { data.call(run); }
    bench::lattice_boltzmann data;
};

/// Executions of a kernel in this process and in its children.
struct executions {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::uint64_t> nanoseconds{0};
};

/// Counts the calls of a frame, except those of the empty code.
attune::call_frame counted(attune::call_frame frame, executions& into)
{
    frame.call = [call = std::move(frame.call), idle = frame.idle,
                  &into](void* entry, std::span<std::byte* const> data) {
        if (entry == idle) return call(entry, data);
        auto const begun = std::chrono::steady_clock::now();
        call(entry, data);
        auto const took = std::chrono::steady_clock::now() - begun;
        into.nanoseconds += static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
        ++into.count;
    };
    if (frame.resized)
        frame.resized = [resized = std::move(frame.resized),
                         &into](std::span<std::int64_t const> sizes) {
            return counted(resized(sizes), into);
        };
    return frame;
}

template <class... Args>
attune::call_frame frame_of(attune::kernel<void(Args...)> const&, auto& data)
{
    std::optional<attune::call_frame> out;
    data.call(
        [&](Args... args) { out.emplace(attune::detail::make_call_frame<Args...>({}, args...)); });
    return *std::move(out);
}

/// Seconds of the runs that the outcomes of a tuning need.
class needed_runs {
public:
    void add(attune::detail::known_outcome const& one)
    {
        auto const* const time = std::get_if<attune::measurement>(&one.result);
        if (time == nullptr || !(one.code.empty() || seen_.insert(one.code).second)) return;
        bool const is_loser =
            best_s_ > 0 && time->value > (1 + attune::detail::leaders::drift) * best_s_;
        losers_ += is_loser ? 1 : 0;
        constexpr double runs_of_loser = 2;
        constexpr double runs_of_leader = 8;
        seconds_ += (is_loser ? runs_of_loser : runs_of_leader) * time->value;
        best_s_ = best_s_ > 0 ? std::min(best_s_, time->value) : time->value;
    }
    [[nodiscard]] double seconds() const noexcept { return seconds_; }
    [[nodiscard]] unsigned losers() const noexcept { return losers_; }

private:
    std::unordered_set<std::string> seen_{}; ///< object keys
    double best_s_ = 0;
    double seconds_ = 0;
    unsigned losers_ = 0;
};

struct totals {
    double runs = 0;
    double log_ratio = 0;
    double final_share = 0;
    unsigned kernels = 0;
};

template <class Kernel>
void run(arguments const& asked, totals& all)
{
    Kernel data;
    attune::clang_compiler const compiler;
    attune::detail::any_compiler const any = attune::detail::make_any_compiler(compiler);
    auto const kernel = Kernel::kernel();
    attune::kernel_description const& d = kernel.describe();
    attune::chain_of_trees const space =
        attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), {});
    attune::detail::shared_with_child<executions> const shared;
    executions& made = shared.get();
    attune::call_frame const frame = counted(frame_of(kernel, data), made);
    attune::tuning_problem const problem{d, space, attune::detail::default_point(space).value(),
                                         any, frame};

    double searched_s = 0; // until the final
    std::uint64_t runs = 0;
    double run_s = 0;
    auto const note = [&](double elapsed_s) {
        searched_s = elapsed_s;
        runs = made.count;
        run_s = 1e-9 * static_cast<double>(made.nanoseconds);
    };
    attune::tuning_options options{.limits = {.evaluations = asked.evaluations, .seconds = 600},
                                   .search = {.seed = asked.seed}};
    options.progress = [&](attune::progress const& p) {
        if (p.event == attune::progress_event::finals) note(p.elapsed_s);
    };
    needed_runs needed;
    attune::detail::session_memory memory;
    memory.keep = [&](attune::detail::known_outcome const& one) { needed.add(one); };
    attune::tuning_report const report =
        attune::detail::run_session(problem, options, std::move(memory)).report;
    if (runs == 0) note(report.elapsed_s); // no final

    double const ideal_s = std::max(needed.seconds(), report.compile_s);
    double const final_share = 1 - searched_s / report.elapsed_s;
    double const count = std::max(report.evaluations, 1U);
    double const rest_s = searched_s - run_s - report.code_s - report.search_s;
    std::printf("pace kernel=%s default_ms=%.3f best_ms=%.3f evaluations=%u losers=%u same_code=%u "
                "failures=%u seconds=%.2f final=%.2f ms_per_evaluation=%.1f runs=%.1f compile=%.2f "
                "run=%.2f restore=%.2f wait=%.2f search=%.2f ideal_ms=%.1f vs_ideal=%.2f\n",
                Kernel::name, 1e3 * report.default_time.value, 1e3 * report.best.value,
                report.evaluations, needed.losers(), report.same_code,
                attune::total(report.failures), report.elapsed_s, final_share,
                1e3 * searched_s / count, static_cast<double>(runs) / count,
                report.compile_s / searched_s, run_s / searched_s, rest_s / searched_s,
                report.code_s / searched_s, report.search_s / searched_s, 1e3 * ideal_s / count,
                searched_s / ideal_s);
    std::fflush(stdout);
    all.runs += static_cast<double>(runs) / count;
    all.log_ratio += std::log(searched_s / ideal_s);
    all.final_share = std::max(all.final_share, final_share);
    ++all.kernels;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"--kernels", &asked.kernels},
                               {"--evaluations", &asked.evaluations, 2},
                               {"--seed", &asked.seed}});
        auto const visit = [](auto&& f) {
            kernels::for_each_kernel(f);
            f.template operator()<lu_700>();
            f.template operator()<lattice_boltzmann>();
            f.template operator()<lu_1300>();
        };
        std::vector<std::string> names;
        visit([&]<class Kernel> { names.emplace_back(Kernel::name); });
        bench::require_known("--kernels", asked.kernels, names);
        totals all;
        visit([&]<class Kernel> {
            if (bench::is_in(asked.kernels, Kernel::name)) run<Kernel>(asked, all);
        });
        std::printf("total runs_per_evaluation=%.1f vs_ideal=%.2f final=%.2f\n",
                    all.runs / all.kernels, std::exp(all.log_ratio / all.kernels), all.final_share);
        return 0;
    });
}
