// tests/support/tuned_ranks_program.cpp - what tests/tune/over/mpi/tuned_ranks.cpp starts on several ranks.
// SPDX-License-Identifier: MIT
//
// tuned_ranks_program WHAT: each rank prints a line for each variant that it compiles, but the
// default, and one for the result. In "real" variants run; else their times are scripted, and
// nothing runs.
#include <attune/core/error.hpp>
#include <attune/tune/tune_over.hpp>

#include <csignal>
#include <exception>
#include <memory>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "accumulate.hpp"
#include "rank_program.hpp"
#include "timed_bench.hpp"

using namespace attune_test;

using support::own_rank;
using support::say;
using support::sleep_s;

namespace {

constexpr int steps = 30;
constexpr auto step = attune::ordinal<"STEP">(attune::range(0, steps - 1));
constexpr auto size = attune::input<"SIZE", int>();

/// Seconds of a call; negative: it does not compile. The best is step 17.
double seconds_of(int i) { return i % 7 == 5 ? -1 : 1e-3 * (1 + 0.1 * (i - 17) * (i - 17)); }

std::string in_one_line(std::string text)
{
    for (char& c : text)
        if (c == '\n') c = ' ';
    return text.substr(0, 2000);
}

void say_report(attune::tune_over_report const& r)
{
    std::string line = "result " + std::to_string(own_rank()) + " " + r.report.configuration +
                       " evaluations=" + std::to_string(r.report.evaluations) +
                       " failed=" + std::to_string(attune::total(r.report.failures)) +
                       " tuned=" + (r.report.how == attune::decision::tuned ? "1" : "0") +
                       " interrupted=" + (r.report.interrupted ? "1" : "0") + " workers=";
    for (attune::worker_use const& one : r.workers)
        line += std::to_string(one.evaluations) + (one.is_left ? "left" : "") +
                (one.first_fault.empty() ? "" : "!") + ",";
    say(line);
    if (!r.report.reason.empty())
        say("reason " + std::to_string(own_rank()) + " " + in_one_line(r.report.reason));
    for (std::string const& said : r.report.notices)
        say((own_rank() == 0 ? "notice " : "heard ") + std::to_string(own_rank()) + " " +
            in_one_line(said));
    for (attune::failure const& one : r.report.first_failures)
        if (own_rank() == 0)
            say("failure " + std::to_string(own_rank()) + " " + std::string(describe(one.stage)) +
                ": " + in_one_line(one.reason));
}

template <class Work>
void guarded(Work const& work)
{
    try {
        work();
    } catch (std::exception const& thrown) {
        say("error " + std::to_string(own_rank()) + " " + in_one_line(thrown.what()));
    }
}

/// Without variants that run.
void tune_scripted(std::string const& what)
{
    int const rank = own_rank();
    std::vector<double> times;
    for (int i = 0; i < steps; ++i)
        times.push_back(seconds_of(i));
    time_script script;
    for (double const& one : times)
        script.seconds[&one] = one;
    if (what == "slow_machine" && rank == 2) script.slowness = 1.5;
    if (what == "other_size" && rank == 2) script.slowness = 3;
    if ((what == "short" && rank == 2) || (what == "short_first" && rank == 0))
        script.slowness = 1e-5;
    bool is_first = true;
    int compiled = 0;
    scripted_compiler const compiler(
        [&](attune::compile_request const& v) -> scripted_compiler::answer {
            std::size_t const i = std::stoul(v.macros.front().value);
            bool const is_default = i == 0;
            if (is_default && what == "no_default" && rank == 2)
                return attune::failure{attune::failure_stage::compile, "no licence", ""};
            if (!is_default) {
                say("evaluated " + std::to_string(rank) + " " + std::to_string(i));
                sleep_s(0.01);
                if (what == "interrupted_third" && rank == 1 && ++compiled == 3) std::raise(SIGINT);
                if (what == "throws" && rank == 1) throw std::runtime_error("the disk is full");
                if (rank == 1 && std::exchange(is_first, false)) {
                    if (what == "interrupted_worker") std::raise(SIGINT);
                    if (what == "hangs") sleep_s(6);
                }
            }
            if (times[i] < 0)
                return attune::failure{attune::failure_stage::compile, "no such step", ""};
            return static_cast<void*>(&times[i]);
        },
        what == "other_compiler" && rank == 2 ? "scripted 2" : "scripted 1");
    attune::kernel<void(std::span<double>, int)> kernel{
        "steps",
        attune::source_text("constexpr int step = ATTUNE_TUNABLE(STEP, 0);\n", "s.kernel.cpp"),
        attune::space(step)};
    kernel.bind<1>(size).any_shape();
    attune::tuning_options options = quick_options();
    int const own_process = static_cast<int>(::getpid());
    std::vector<int> processes(64);
    MPI_Allgather(&own_process, 1, MPI_INT, processes.data(), 1, MPI_INT, MPI_COMM_WORLD);
    options.progress = [&](attune::progress const& p) {
        if (what == "interrupted_late" && p.event == attune::progress_event::finals) {
            ::kill(processes[1], SIGINT);
            sleep_s(0.2);
        }
        bool const is_third = p.event == attune::progress_event::evaluated && p.evaluation == 3;
        if (what == "interrupted" && is_third) std::raise(SIGINT);
    };
    if (what == "few") options.limits.evaluations = 10;
    if (what == "hangs") options.limits.seconds = 3;
    options.measuring.make_bench = timed_by(script);
    if (what == "no_bench" && rank == 0)
        options.measuring.make_bench = [](auto const&,
                                          auto const&) -> std::unique_ptr<attune::bench> {
            throw std::runtime_error("no clock on this node");
        };
    attune::tuned call{kernel, compiler, options};
    bool const is_empty = (what == "empty" && rank == 2) || (what == "empty_first" && rank == 0);
    std::vector<double> x(is_empty ? 0 : 64);
    int const n = what == "other_input" && rank == 2 ? 5 : 4;
    guarded([&] { say_report(attune::tune_over(MPI_COMM_WORLD, call, x, n)); });
    if (what == "twice") {
        say("again " + std::to_string(rank));
        guarded([&] { say_report(attune::tune_over(MPI_COMM_WORLD, call, x, n)); });
    }
    if (what == "all") {
        attune::known_choice const known = call.explain(x, n);
        say("serves " + std::to_string(rank) + " " + known.configuration +
            (call.is_tuned(x, n) ? " tuned" : " untuned"));
    }
}

/// Good, slow, wrong and crashing variants, which run in forked children of each rank.
void tune_real()
{
    auto const pack = ways<usual, fast, wrong, crashing, refused, throwing>();
    scripted_compiler compiler = accumulate_compiler();
    accumulate_data data;
    for (double& one : data.x)
        one += own_rank(); // each rank has its own data
    std::vector<double> const before = data.y;
    attune::tuned call{accumulate_kernel(pack), compiler, quick_options()};
    std::string const who = std::to_string(own_rank());
    guarded([&] {
        say_report(attune::tune_over(MPI_COMM_WORLD, call, data.x, data.y, 3.0));
        say("unchanged " + who + (data.y == before ? " yes" : " no"));
        long const calls = calls_to<fast>.load();
        call(data.x, data.y, 3.0);
        bool is_right = true;
        for (std::size_t i = 0; i < data.y.size(); ++i)
            is_right = is_right && data.y[i] == before[i] + 3.0 * data.x[i];
        say("called " + who + (calls_to<fast>.load() == calls + 1 ? " fast" : " other") +
            (is_right ? " right" : " wrong"));
    });
}

} // namespace

int main(int count, char** words)
{
    std::string const what = count > 1 ? words[1] : "";
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&count, &words, MPI_THREAD_SINGLE, &level);
    if (what == "real")
        tune_real();
    else
        tune_scripted(what);
    MPI_Finalize();
    say("over " + what);
}
