// bench/search/levels.cpp - the search on two levels, policy by policy, beside direct searches.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024 Table 3.1, Fig. 4.1, 4.2, 4.4, 4.5 and Table 4.4
//
// Run      bench.search.levels [--data DIR] [--table FILE] [--programs] [--spaces PART[,PART...]]
//          [--search NAME[,NAME...]] [--trials 128] [--repeats 5] [--batch 16]
//          [--evaluation_ms 300] [--runs 0] [--seed 0] [--rounds]
//          --data: recorded files, as for bench.search.replay; --table: programs whose schedules
//          bench.search.programs --record measured; --programs: schedules of generated programs,
//          whose time is description::expected, which searches do not see, over the threads that
//          share their loops. At least one of these.
//          An evaluation is a look-up, and is taken to last --evaluation_ms and --runs times the
//          time of the configuration; a failure --evaluation_ms.
//          NAME: direct, genetic, evolution, random; or policies of the search on two levels, +
//          between them, as level_policies.hpp has them: heap+lru+kappa_.01. Without: all of those
//          and level_variants()
// Prints   a line per space and search, medians over repeats: latency_* after a quarter, half and
//          all of the trials; latency_wall, after a wall time that is equal for all, --trials times
//          --evaluation_ms, into which thinking and --runs have to fit; wall_trials, how many fit;
//          think, the share of the search in the wall time of the trials; vs_best of recorded
//          spaces, over the best recorded. Of two levels also score, rmse, peak32 and invalid, see
//          below.
//          With --rounds a line per run and round: the trials and the seconds of searching and of
//          wall time before it was measured, and the best time, score, rmse, peak32, invalid and
//          memory resets of the round.
//          Then a table, a row per search; means over spaces of medians over repeats:
//            quarter, half, latency, wall  those latencies over that of `evolution` (of the first
//                     search without it); geometric means
//            to_match share of the trials after which the mean best is as good as that of
//                     `evolution` in the end; 1 where it never is
//            score    mean score, by the cost model, of the configurations submitted to be measured
//            rmse     of these scores (level_quality.hpp)
//            peak32   average peak score of the model's order (score_quality.hpp)
//            invalid  share of suggestions that are no configuration
//            search   share of the search in the wall time
// Note     programs' cost models see description::rows; of recorded spaces, which have no programs,
//          the features of the Bayesian search stand for them. `direct` is the library's default
//          search, `genetic` evolution on measurements, `evolution` that of MetaSchedule on a
//          model's scores, `random` its replay of random configurations. Programs have a parallel
//          parameter (THREADS) and compute locations (DEPTH_LOOP, OTHERS), as the library declares
//          them; recorded spaces have neither, and what phases do is seen in programs alone. The
//          space of a table's program is its configurations, a few of the program's: what else two
//          levels suggest is invalid, nearly all, so only those +within are comparable there.
//          `direct` and models of scores see description::expected of such programs, as always.
// Exit     2 when a file or an argument is wrong
#include <attune/declare/description.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/random.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/search/two_level/two_level_search.hpp>
#include <attune/space/schedule/derived_space.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../tests/support/nest_examples.hpp"
#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "../support/names.hpp"
#include "../support/recorded.hpp"
#include "level_policies.hpp"
#include "level_quality.hpp"
#include "program_table.hpp"
#include "replay_run.hpp"
#include "small_layers.hpp"

namespace {

struct arguments {
    std::string data;
    std::string table;
    std::string spaces;
    std::string search;
    std::size_t trials = 128;
    std::size_t repeats = 5;
    std::size_t batch = 16;
    std::size_t evaluation_ms = 300;
    std::size_t runs = 0;
    std::size_t seed = 0;
    bool programs = false;
    bool rounds = false;

    [[nodiscard]] bench::evaluation_cost cost() const
    {
        return {static_cast<double>(evaluation_ms), static_cast<double>(runs)};
    }
};

[[nodiscard]] arguments parse(int count, char** text)
{
    arguments out;
    bench::read_arguments(count, text,
                          {{"--data", &out.data},
                           {"--table", &out.table},
                           {"--programs", &out.programs},
                           {"--spaces", &out.spaces},
                           {"--search", &out.search},
                           {"--trials", &out.trials, 4},
                           {"--repeats", &out.repeats, 1},
                           {"--batch", &out.batch, 1},
                           {"--evaluation_ms", &out.evaluation_ms, 1},
                           {"--runs", &out.runs},
                           {"--seed", &out.seed},
                           {"--rounds", &out.rounds}});
    if (out.data.empty() && out.table.empty() && !out.programs)
        throw std::runtime_error("--data DIR, --table FILE or --programs is needed");
    return out;
}

/// The rounds of one run.
using seen_rounds = std::shared_ptr<std::vector<attune::two_level_round>>;

/// two_level_search that leaves its rounds behind.
struct watched_levels {
    attune::two_level_search search;
    seen_rounds rounds;

    std::vector<attune::point> ask(std::size_t k)
    {
        std::vector<attune::point> out = search.ask(k);
        rounds->assign(search.rounds().begin(), search.rounds().end());
        return out;
    }
    void tell(attune::point const& p, attune::outcome const& o) { search.tell(p, o); }
};

struct row {
    std::string name;
    attune::search_factory make;
    seen_rounds rounds{}; ///< null: not on two levels
};

/// @param structure  see two_level_options
[[nodiscard]] row row_of(std::string const& name, std::size_t batch,
                         std::function<std::uint64_t(attune::point const&)> const& structure)
{
    if (name == "direct") return {name, attune::default_search()};
    if (name == "genetic") return {name, attune::search_with<attune::genetic>()};
    if (name == "random") return {name, attune::search_with<attune::random_searcher>()};
    if (name == "evolution") {
        attune::evolutionary_options evolution;
        evolution.batch = batch;
        evolution.structure = structure;
        return {name, attune::search_with<attune::evolutionary_search>(evolution)};
    }
    bench::level_variant chosen = bench::level_variant_of(name);
    chosen.options.batch = batch;
    chosen.options.structure = structure;
    auto const rounds = std::make_shared<std::vector<attune::two_level_round>>();
    return {name,
            [chosen, rounds](attune::chain_of_trees space, std::uint64_t seed) {
                if (!chosen.sees_rows) {
                    attune::description d = space.describe();
                    d.rows = {};
                    space = attune::chain_of_trees(std::move(d));
                }
                return attune::any_searcher(watched_levels{
                    attune::two_level_search(std::move(space), seed, chosen.options), rounds});
            },
            rounds};
}

/// The searches asked for.
[[nodiscard]] std::vector<std::string> names_of(arguments const& given)
{
    if (!given.search.empty()) return bench::names_in(given.search);
    std::vector<std::string> out{"evolution", "direct", "genetic", "random"};
    for (std::string& name : bench::level_variants())
        out.push_back(std::move(name));
    return out;
}

/// What is searched.
struct problem {
    std::string name;
    attune::chain_of_trees space;
    bench::evaluator evaluate;                                      ///< in milliseconds
    std::optional<double> best_ms{};                                ///< where it is known
    std::function<std::uint64_t(attune::point const&)> structure{}; ///< see two_level_options
};

/// A recorded space whose configurations have rows: the features of the Bayesian search.
[[nodiscard]] attune::chain_of_trees with_rows(attune::chain_of_trees const& space)
{
    attune::description d = space.describe();
    auto const features = std::make_shared<attune::feature_map const>(space);
    d.rows = [features](attune::description const&, std::span<attune::coordinate const> at) {
        attune::feature_table table;
        features->append(attune::point(at.begin(), at.end()), table);
        attune::program_rows out;
        for (std::size_t f = 0; f < features->count(); ++f) {
            if (!features->is_nominal(f)) {
                if (features->dimensions(f) == 1)
                    out.values.push_back(features->position(f, table, 0));
                else
                    for (double const x : features->place(f, table.level[f][0]))
                        out.values.push_back(x);
                continue;
            }
            for (std::uint32_t level = 0; level < features->levels(f); ++level)
                out.values.push_back(table.level[f][0] == level ? 1 : 0);
        }
        out.width = out.values.size();
        return out;
    };
    return attune::chain_of_trees(std::move(d));
}

[[nodiscard]] std::vector<problem> recorded_problems(arguments const& given)
{
    std::vector<problem> out;
    for (std::string const& path : bench::recorded_paths(given.data)) {
        if (!bench::has_part(path.substr(path.find_last_of('/') + 1), given.spaces)) continue;
        std::vector<std::string> notes;
        std::optional<bench::recording> read = bench::read_recording(path, notes);
        if (!read) continue;
        auto const from = std::make_shared<bench::recording const>(*std::move(read));
        out.push_back({from->name, with_rows(from->space),
                       [from](attune::point const& p) { return from->at(p); }, from->best_ms,
                       attune::point_hash()});
    }
    return out;
}

[[nodiscard]] std::vector<problem> table_problems(arguments const& given)
{
    std::vector<problem> out;
    bench::for_each_small_layer("", [&]<class Layer>() {
        if (!bench::has_part(Layer::name, given.spaces)) return;
        auto read = bench::read_program(given.table, Layer::name, Layer::program.describe());
        if (!read || read->best_s() == 0) return;
        auto const from = std::make_shared<bench::measured_program const>(*std::move(read));
        out.push_back({from->name, from->space,
                       [from](attune::point const& p) -> attune::outcome {
                           attune::outcome const& in_s = from->outcomes.at(p);
                           auto const* const m = std::get_if<attune::measurement>(&in_s);
                           return m ? attune::measurement::exact(1e3 * m->value) : in_s;
                       },
                       1e3 * from->best_s()});
    });
    return out;
}

/// Schedules for four threads of a processor with AVX2, whatever this one is.
[[nodiscard]] problem program_problem(std::string name, attune::nest_description const& nest)
{
    attune::processor_shape shape;
    shape.cores = 4;
    attune::description d = attune::derived_space(nest, shape).describe();
    auto const expected = std::exchange(d.expected, {});
    std::uint32_t const threads = d.find_parameter("THREADS");
    attune::parameter_description const sharing = d.parameters.at(threads);
    return {std::move(name), attune::chain_of_trees(std::move(d)),
            [=](attune::point const& p) -> attune::outcome {
                double const ms = 1e3 * expected(p);
                if (!std::isfinite(ms)) return attune::failure{attune::failure_stage::launch, "no"};
                bool const is_shared = attune::text_of(sharing, p[threads]) == "outer";
                return attune::measurement::exact(ms / (is_shared ? 4 : 1));
            }};
}

[[nodiscard]] std::vector<problem> program_problems(arguments const& given)
{
    std::vector<problem> out;
    auto const add = [&](std::string name, attune::nest_description const& nest) {
        if (bench::has_part(name, given.spaces))
            out.push_back(program_problem(std::move(name), nest));
    };
    add("matmul_512", support::matmul(512, 512, 512));
    add("conv_28", support::convolution(28, 128, 128, 3, 1, 1));
    add("depthwise_112", support::depthwise(112, 32));
    add("dense_gelu", support::dense_gelu(128, 3072, 768));
    return out;
}

/// All runs of one search on one space.
struct row_runs {
    std::vector<bench::replay_curve> curves;
    std::vector<bench::level_quality> quality; ///< empty: not on two levels

    template <class Of>
    [[nodiscard]] double median_of(Of const& figure) const
    {
        std::vector<double> all;
        for (bench::replay_curve const& one : curves)
            all.push_back(figure(one));
        return bench::median(std::move(all));
    }
    [[nodiscard]] double after(std::size_t trials) const
    {
        return median_of([&](auto const& one) { return one.best_after(trials); });
    }
    /// How many fit into the wall time that is equal for all.
    [[nodiscard]] static std::size_t wall_trials(bench::replay_curve const& one,
                                                 arguments const& given)
    {
        return one.evaluations_within(1e-3 * static_cast<double>(given.evaluation_ms) *
                                          static_cast<double>(given.trials),
                                      given.cost());
    }
    [[nodiscard]] double after_wall(arguments const& given) const
    {
        return median_of([&](auto const& one) { return one.best_after(wall_trials(one, given)); });
    }
    /// The share of the search in the wall time.
    [[nodiscard]] double think(arguments const& given) const
    {
        return median_of([&](bench::replay_curve const& one) {
            return one.cpu_s / (one.cpu_s + one.evaluations_s(one.own_ms.size(), given.cost()));
        });
    }
    [[nodiscard]] bench::level_quality median_quality() const
    {
        auto const middle = [&](double bench::level_quality::* of) {
            std::vector<double> all;
            for (bench::level_quality const& one : quality)
                all.push_back(one.*of);
            return all.empty() ? 0 : bench::median(std::move(all));
        };
        using q = bench::level_quality;
        return {middle(&q::invalid), middle(&q::score), middle(&q::rmse), middle(&q::peak)};
    }
};

void print_quality(bench::level_quality const& q)
{
    std::printf(" score=%.3f rmse=%.3f peak32=%.3f invalid=%.3f", q.score, q.rmse, q.peak,
                q.invalid);
}

void print(problem const& on, row const& of, row_runs const& runs, arguments const& given)
{
    double const latency = runs.after(given.trials);
    std::printf("levels space=%s search=%s latency_quarter_ms=%.5g latency_half_ms=%.5g "
                "latency_ms=%.5g latency_wall_ms=%.5g wall_trials=%.0f think=%.3f",
                on.name.c_str(), of.name.c_str(), runs.after(given.trials / 4),
                runs.after(given.trials / 2), latency, runs.after_wall(given),
                runs.median_of([&](auto const& one) {
                    return static_cast<double>(row_runs::wall_trials(one, given));
                }),
                runs.think(given));
    if (on.best_ms) std::printf(" vs_best=%.3f", latency / *on.best_ms);
    if (of.rounds) print_quality(runs.median_quality());
    std::printf("\n");
    std::fflush(stdout);
}

void print_rounds(problem const& on, row const& of, std::size_t run,
                  bench::replay_curve const& curve, arguments const& given)
{
    for (std::size_t r = 0; r < of.rounds->size(); ++r) {
        attune::two_level_round const& round = (*of.rounds)[r];
        double const search_s =
            curve.thought_s.empty()
                ? 0
                : curve.thought_s[std::min(round.outcomes, curve.thought_s.size() - 1)];
        double const evaluations_s = curve.evaluations_s(round.outcomes, given.cost());
        std::printf("levels round space=%s search=%s run=%zu round=%zu trials=%zu search_s=%.3f "
                    "wall_s=%.3f best_ms=%.5g",
                    on.name.c_str(), of.name.c_str(), run, r, round.outcomes, search_s,
                    search_s + evaluations_s, round.best);
        print_quality(bench::quality_of(std::span(&round, 1), on.evaluate));
        std::printf(" resets=%zu\n", round.resets);
    }
}

[[nodiscard]] row_runs runs_of(problem const& on, std::string const& name, arguments const& given)
{
    row const of = row_of(name, given.batch, on.structure);
    row_runs out;
    for (std::size_t i = 0; i < given.repeats; ++i) {
        std::fprintf(stderr, "\r%s %s %zu/%zu ", on.name.c_str(), name.c_str(), i + 1,
                     given.repeats);
        out.curves.push_back(
            bench::replay(on.space, on.evaluate, of.make, given.trials, given.seed + i));
        std::fprintf(stderr, "\r%*s\r", 90, "");
        if (!of.rounds) continue;
        out.quality.push_back(bench::quality_of(*of.rounds, on.evaluate));
        if (given.rounds) print_rounds(on, of, i, out.curves.back(), given);
    }
    print(on, of, out, given);
    return out;
}

/// Means over spaces.
struct table_row {
    double quarter = 0, half = 0, latency = 0, wall = 0; ///< logarithms
    double to_match = 0, search = 0;
    bench::level_quality quality;
};

/// @param of, beside  of each space
[[nodiscard]] table_row table_row_of(std::vector<row_runs> const& of,
                                     std::vector<row_runs> const& beside, arguments const& given)
{
    table_row out;
    double const n = static_cast<double>(of.size());
    std::size_t const trials = given.trials;
    for (std::size_t i = 0; i < of.size(); ++i) {
        row_runs const& its = of[i];
        row_runs const& other = beside[i];
        out.quarter += std::log(its.after(trials / 4) / other.after(trials / 4)) / n;
        out.half += std::log(its.after(trials / 2) / other.after(trials / 2)) / n;
        out.latency += std::log(its.after(trials) / other.after(trials)) / n;
        out.wall += std::log(its.after_wall(given) / other.after_wall(given)) / n;
        double const target_ms = bench::mean_best(other.curves, trials);
        std::size_t const matched =
            bench::evaluations_to(its.curves, target_ms, trials).value_or(trials);
        out.to_match += static_cast<double>(matched) / static_cast<double>(trials) / n;
        out.search += its.think(given) / n;
        bench::level_quality const q = its.median_quality();
        out.quality.invalid += q.invalid / n;
        out.quality.score += q.score / n;
        out.quality.rmse += q.rmse / n;
        out.quality.peak += q.peak / n;
    }
    return out;
}

/// @param results  by search, then by space
void print_table(std::vector<std::string> const& names,
                 std::vector<std::vector<row_runs>> const& results, arguments const& given)
{
    auto const reference = std::find(names.begin(), names.end(), "evolution");
    std::size_t const beside =
        reference == names.end() ? 0 : static_cast<std::size_t>(reference - names.begin());
    int width = 7;
    for (std::string const& name : names)
        width = std::max(width, static_cast<int>(name.size()));
    std::printf("\n%zu spaces, %zu trials, %zu repeats, beside %s\n%-*s", results.front().size(),
                given.trials, given.repeats, names[beside].c_str(), width, "variant");
    for (char const* const column : {"quarter", "half", "latency", "wall", "to_match", "score",
                                     "rmse", "peak32", "invalid", "search"})
        std::printf(" %8s", column);
    std::printf("\n");
    for (std::size_t i = 0; i < names.size(); ++i) {
        table_row const r = table_row_of(results[i], results[beside], given);
        std::printf("%-*s %8.3f %8.3f %8.3f %8.3f %8.3f", width, names[i].c_str(),
                    std::exp(r.quarter), std::exp(r.half), std::exp(r.latency), std::exp(r.wall),
                    r.to_match);
        if (results[i].front().quality.empty())
            std::printf(" %8s %8s %8s %8s", "-", "-", "-", "-");
        else
            std::printf(" %8.3f %8.3f %8.3f %8.3f", r.quality.score, r.quality.rmse, r.quality.peak,
                        r.quality.invalid);
        std::printf(" %8.3f\n", r.search);
    }
}

void run(arguments const& given)
{
    std::vector<std::string> const names = names_of(given);
    for (std::string const& name : names)
        (void)row_of(name, given.batch, {}); // so that a wrong name is refused before all
    std::vector<problem> problems;
    auto const add = [&](std::vector<problem> more) {
        std::move(more.begin(), more.end(), std::back_inserter(problems));
    };
    if (!given.data.empty()) add(recorded_problems(given));
    if (!given.table.empty()) add(table_problems(given));
    if (given.programs) add(program_problems(given));
    if (problems.empty()) throw std::runtime_error("there is no such space");
    std::vector<std::vector<row_runs>> results(names.size());
    for (problem const& on : problems)
        for (std::size_t i = 0; i < names.size(); ++i)
            results[i].push_back(runs_of(on, names[i], given));
    print_table(names, results, given);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        run(parse(argc, argv));
        return 0;
    });
}
