// bench/tune/cluster.cpp - a search on more workers than this machine has, on a discrete-event clock.
// SPDX-License-Identifier: MIT
//
// Run      bench.tune.cluster [--workers 1..1024] [--outcomes 1000] [--milliseconds 1000]
//          [--seeds 3] [--seed 0] [--data DIR] [--file PART]
//          --workers: numbers N[,N...], or A..B for A, 2 A, ... up to B; --milliseconds: mean of an
//          evaluation; --data: recorded files (*.csv.gz, ...), of which the largest whose name
//          holds PART is searched; without it a synthetic space of 16^8 configurations
// Prints   a line a number of workers, with means over the seeds:
//          efficiency= share of the workers' time up to the last order in which they evaluate;
//          with_drain= the same up to the last outcome; frac= optimum over best, and the same over
//          that of one worker: frac_vs_sequential= after equally many outcomes, frac_vs_wall= after
//          equally many seconds; rank0_ms= processor time of rank 0 an outcome, last_ms= over the
//          last tenth, load= share of the seconds; bytes= of order and outcome together; repeats=
//          configurations evaluated twice; spread= mean distance of two pending configurations over
//          that of two random ones; ends_at= workers that rank 0 could keep at work: mean of an
//          evaluation over rank0_ms. The last line is total with the worst of each.
// Note     the workers are simulated, the loop and the search are those of minimize_over(), and its
//          messages are encoded and read. Evaluations: cluster_model. One in twenty is five times
//          as long, one in a hundred fails. Rank 0's time is this machine's: what else runs on it
//          makes it longer.
// Exit     2 when a file or an argument is wrong
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/minimize_slots.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../search/synthetic_objective.hpp"
#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "../support/recorded.hpp"
#include "cluster_slots.hpp"

namespace {

struct arguments {
    std::string workers = "1..1024";
    std::size_t outcomes = 1000;
    std::size_t milliseconds = 1000;
    std::size_t seeds = 3;
    std::size_t seed = 0;
    std::string data;
    std::string file;
};

/// Errors  std::runtime_error: no whole number from 1 to 65536
[[nodiscard]] std::size_t worker_count(std::string const& text)
{
    std::size_t out = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (problem != std::errc() || end != text.data() + text.size() || out < 1 || out > 65536)
        throw std::runtime_error("--workers takes numbers from 1 to 65536, not '" + text + "'");
    return out;
}

/// "1,4,16" or "1..1024", doubled from the first on.
[[nodiscard]] std::vector<std::size_t> worker_counts(std::string const& text)
{
    std::vector<std::size_t> out;
    for (std::string const& part : bench::names_in(text)) {
        std::size_t const dots = part.find("..");
        std::size_t const first = worker_count(part.substr(0, dots));
        std::size_t const last =
            dots == std::string::npos ? first : worker_count(part.substr(dots + 2));
        for (std::size_t n = first; n <= last; n *= 2)
            out.push_back(n);
    }
    if (out.empty()) throw std::runtime_error("--workers: no number in '" + text + "'");
    return out;
}

/// What is searched.
struct subject {
    std::string name;
    attune::chain_of_trees space;
    double optimum = 0;
    bench::cluster_slots::objective evaluate;
};

[[nodiscard]] subject synthetic()
{
    attune::chain_of_trees space = bench::grid_space(8, 16);
    bench::synthetic_objective const objective(space, 1, true);
    return {"synthetic", std::move(space), bench::synthetic_objective::optimum, objective};
}

/// The largest recording of the folder whose name holds `part`.
[[nodiscard]] subject recorded(std::string const& data, std::string const& part)
{
    std::optional<bench::recording> largest;
    for (std::string const& path : bench::recorded_paths(data)) {
        if (!bench::has_part(path.substr(path.find_last_of('/') + 1), part)) continue;
        std::vector<std::string> notes;
        std::optional<bench::recording> read = bench::read_recording(path, notes);
        if (read && (!largest || *read->space.size() > *largest->space.size()))
            largest = std::move(read);
    }
    if (!largest)
        throw std::runtime_error(data + ": no recorded space whose name holds '" + part + "'");
    std::string const name = largest->name;
    attune::chain_of_trees const space = largest->space;
    double const optimum = largest->best_ms;
    return {name, space, optimum,
            [from = *std::move(largest)](attune::point const& at) { return from.at(at); }};
}

[[nodiscard]] bench::cluster_run run_on(subject const& what, arguments const& given,
                                        std::size_t workers, std::uint64_t seed)
{
    bench::cluster_model const model{.mean_s = static_cast<double>(given.milliseconds) / 1000};
    bench::cluster_slots on(what.space, what.evaluate, model, workers, seed);
    attune::minimize_options options;
    options.seed = seed;
    options.progress = attune::silent_progress();
    attune::detail::minimum_on_slots const found =
        attune::detail::minimize_on_slots(what.space, on, {.evaluations = given.outcomes}, options,
                                          std::numeric_limits<double>::infinity());
    bench::cluster_run out = on.take();
    if (found.found.evaluations != out.told_s.size() || out.told_s.empty())
        throw std::runtime_error("the loop lost outcomes");
    return out;
}

/// The best after `seconds`; infinite before the first outcome.
[[nodiscard]] double best_at(bench::cluster_run const& run, double seconds)
{
    auto const after = std::upper_bound(run.told_s.begin(), run.told_s.end(), seconds);
    auto const n = after - run.told_s.begin();
    return n == 0 ? std::numeric_limits<double>::infinity()
                  : run.best[static_cast<std::size_t>(n - 1)];
}

/// Mean distance of two random configurations.
[[nodiscard]] double random_distance(attune::chain_of_trees const& space)
{
    attune::random_engine engine(1);
    double sum = 0;
    for (int i = 0; i < 1000; ++i)
        sum += attune::distance(space.describe(), space.sample(engine), space.sample(engine));
    return sum / 1000;
}

/// Means over the seeds.
struct summary {
    double efficiency = 0, with_drain = 0, frac = 0, vs_sequential = 0, vs_wall = 0, rank0_ms = 0,
           last_ms = 0, load = 0, bytes = 0, repeats = 0, spread = 0;
};

[[nodiscard]] summary summarise(std::vector<bench::cluster_run> const& runs,
                                std::vector<bench::cluster_run> const& alone, std::size_t workers,
                                double optimum, double random_apart)
{
    summary out;
    double const seeds = static_cast<double>(runs.size());
    double frac_alone = 0;
    double frac_alone_wall = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        bench::cluster_run const& run = runs[i];
        double const outcomes = static_cast<double>(run.told_s.size());
        double const end_s = run.told_s.back();
        double const count = static_cast<double>(workers);
        out.efficiency += run.busy_given_s / (count * run.given_s) / seeds;
        out.with_drain += run.busy_s / (count * end_s) / seeds;
        out.frac += optimum / run.best.back() / seeds;
        frac_alone += optimum / alone[i].best.back() / seeds;
        frac_alone_wall += optimum / best_at(alone[i], end_s) / seeds;
        out.rank0_ms += 1000 * run.spent_s.back() / outcomes / seeds;
        std::size_t const tenth = std::max<std::size_t>(1, run.told_s.size() / 10);
        std::size_t const before = run.told_s.size() - tenth;
        double const then_s = before == 0 ? 0 : run.spent_s[before - 1];
        out.last_ms += 1000 * (run.spent_s.back() - then_s) / static_cast<double>(tenth) / seeds;
        out.load += run.spent_s.back() / end_s / seeds;
        out.bytes += static_cast<double>(run.bytes) / outcomes / seeds;
        out.repeats += static_cast<double>(run.repeats) / seeds;
        out.spread += run.distance / random_apart / seeds;
    }
    out.vs_sequential = out.frac / frac_alone;
    out.vs_wall = out.frac / frac_alone_wall;
    return out;
}

void print(std::size_t workers, summary const& s, double mean_ms)
{
    std::printf("workers=%zu efficiency=%.3f with_drain=%.3f frac=%.3f frac_vs_sequential=%.3f "
                "frac_vs_wall=%.3f rank0_ms=%.3f last_ms=%.3f load=%.3f bytes=%.0f repeats=%.1f "
                "spread=%.3f ends_at=%.0f\n",
                workers, s.efficiency, s.with_drain, s.frac, s.vs_sequential, s.vs_wall, s.rank0_ms,
                s.last_ms, s.load, s.bytes, s.repeats, s.spread, mean_ms / s.rank0_ms);
    std::fflush(stdout);
}

void simulate(arguments const& given)
{
    std::vector<std::size_t> const counts = worker_counts(given.workers);
    subject const what = given.data.empty() ? synthetic() : recorded(given.data, given.file);
    double const apart = random_distance(what.space);
    double const mean_ms = static_cast<double>(given.milliseconds);
    std::printf("cluster space=%s outcomes=%zu evaluation_ms=%zu seeds=%zu\n", what.name.c_str(),
                given.outcomes, given.milliseconds, given.seeds);
    auto const runs_on = [&](std::size_t workers) {
        std::vector<bench::cluster_run> out;
        for (std::size_t i = 0; i < given.seeds; ++i)
            out.push_back(run_on(what, given, workers, given.seed + i));
        return out;
    };
    std::vector<bench::cluster_run> const alone = runs_on(1);
    summary worst{.efficiency = 1, .with_drain = 1, .frac = 1, .vs_sequential = 1e9};
    double ends_at = std::numeric_limits<double>::infinity();
    for (std::size_t const workers : counts) {
        summary const s =
            summarise(workers == 1 ? alone : runs_on(workers), alone, workers, what.optimum, apart);
        print(workers, s, mean_ms);
        worst.efficiency = std::min(worst.efficiency, s.efficiency);
        worst.vs_sequential = std::min(worst.vs_sequential, s.vs_sequential);
        worst.rank0_ms = std::max(worst.rank0_ms, s.rank0_ms);
        worst.bytes = std::max(worst.bytes, s.bytes);
        worst.repeats = std::max(worst.repeats, s.repeats);
        ends_at = std::min(ends_at, mean_ms / s.rank0_ms);
    }
    std::printf("total space=%s outcomes=%zu efficiency=%.3f frac_vs_sequential=%.3f rank0_ms=%.3f "
                "bytes=%.0f repeats=%.1f ends_at=%.0f\n",
                what.name.c_str(), given.outcomes, worst.efficiency, worst.vs_sequential,
                worst.rank0_ms, worst.bytes, worst.repeats, ends_at);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments given;
        bench::read_arguments(argc, argv,
                              {{"--workers", &given.workers},
                               {"--outcomes", &given.outcomes, 1},
                               {"--milliseconds", &given.milliseconds, 1},
                               {"--seeds", &given.seeds, 1},
                               {"--seed", &given.seed},
                               {"--data", &given.data},
                               {"--file", &given.file}});
        simulate(given);
        return 0;
    });
}
