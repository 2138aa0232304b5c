// bench/search/levels.cpp - the search on two levels, policy by policy, beside direct searches.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.levels --data DIR [--spaces PART[,PART...]] [--search NAME[,NAME...]]
//          [--trials 128] [--repeats 5] [--batch 16] [--evaluation_ms 300] [--seed 0]
//          DIR: recorded files, as for bench.search.replay; NAME: see rows() below, or all
// Prints   a line per space and search, medians over repeats: latency_* after a quarter, half and
//          all of the trials and vs_best, the last over the best recorded; latency_wall, after as
//          much wall time as the trials take without thinking, if one evaluation (compile and run)
//          takes --evaluation_ms; think, the share of the search in the wall time; of two levels
//          also invalid, the share of suggestions that are no configuration, and of the scores of
//          what was measured rmse and peak32 (score_quality.hpp). Then a line per search: geometric
//          means over spaces of its latencies over those of `direct`.
// Note     rows: the features of the Bayesian search stand for features of programs. `direct` is
//          the library's default search, `genetic` evolution on measurements, `evolution` that of
//          MetaSchedule on a model's scores, `random` its replay of random configurations. The
//          published search is `heap`; each row below changes one policy of it. Rocke 2024
//          Table 3.1: naive, heap, lru and heap_lru.
// Exit     2 when a file or an argument is wrong
#include <attune/declare/program_rows.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/local/genetic.hpp>
#include <attune/search/random.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/search/two_level/two_level_search.hpp>

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "../support/names.hpp"
#include "../support/recorded.hpp"
#include "../support/score_quality.hpp"
#include "replay_run.hpp"

namespace {

struct arguments {
    std::string data;
    std::string spaces;
    std::string search = "all";
    std::size_t trials = 128;
    std::size_t repeats = 5;
    std::size_t batch = 16;
    std::size_t evaluation_ms = 300;
    std::size_t seed = 0;
};

[[nodiscard]] arguments parse(int count, char** text)
{
    arguments out;
    bench::read_arguments(count,
                          text,
                          {{"--data", &out.data},
                           {"--spaces", &out.spaces},
                           {"--search", &out.search},
                           {"--trials", &out.trials, 4},
                           {"--repeats", &out.repeats, 1},
                           {"--batch", &out.batch, 1},
                           {"--evaluation_ms", &out.evaluation_ms, 1},
                           {"--seed", &out.seed}});
    if (out.data.empty()) throw std::runtime_error("--data DIR is needed");
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

[[nodiscard]] std::vector<row> rows(std::size_t batch)
{
    using options = attune::two_level_options;
    attune::evolutionary_options evolution;
    evolution.batch = batch;
    evolution.structure = [](attune::point const& p) { return attune::point_hash()(p); };
    std::vector<row> out{
        {"direct", attune::default_search()},
        {"genetic", attune::search_with<attune::genetic>()},
        {"evolution", attune::search_with<attune::evolutionary_search>(evolution)},
        {"random", attune::search_with<attune::random_searcher>()},
    };
    auto const add = [&](std::string name, std::function<void(options&)> const& change) {
        options chosen;
        chosen.batch = batch;
        chosen.structure = [](attune::point const& p) { return attune::point_hash()(p); };
        change(chosen);
        auto const rounds = std::make_shared<std::vector<attune::two_level_round>>();
        out.push_back({std::move(name),
                       [chosen, rounds](attune::chain_of_trees const& space, std::uint64_t seed) {
                           return attune::any_searcher(watched_levels{
                               attune::two_level_search(space, seed, chosen), rounds});
                       },
                       rounds});
    };
    using enum attune::suggestion_rule;
    auto const per_input = attune::batch_choice::best_per_input;
    auto const oldest = attune::optimizer_memory::least_recently_used;
    add("heap", [](options&) {});
    add("naive", [&](options& o) { o.choice = per_input; });
    add("heap_lru", [&](options& o) { o.memory = oldest; });
    add("lru", [&](options& o) {
        o.choice = per_input;
        o.memory = oldest;
    });
    add("poi", [](options& o) { o.rule = probability_of_improvement; });
    add("ei", [](options& o) { o.rule = expected_improvement; });
    add("ei_xi_.01", [](options& o) {
        o.rule = expected_improvement;
        o.xi = .01;
    });
    add("kappa_0", [](options& o) { o.kappa = 0; });
    add("kappa_.01", [](options& o) { o.kappa = .01; });
    add("kappa_1", [](options& o) { o.kappa = 1; });
    add("memory_100", [](options& o) { o.memory_limit = 100; });
    add("memory_400", [](options& o) { o.memory_limit = 400; });
    add("features", [](options& o) { o.encoding = attune::decision_encoding::features; });
    add("within", [](options& o) { o.within_constraints = true; });
    add("features_within", [](options& o) {
        o.encoding = attune::decision_encoding::features;
        o.within_constraints = true;
    });
    add("sdr", [](options& o) { o.reduces_domain = true; });
    add("inputs_random_0", [](options& o) { o.random_inputs = 0; });
    add("batch_random_0", [](options& o) { o.random_batch = 0; });
    add("budget_60", [](options& o) { o.valid = o.invalid = 60; });
    add("inputs_10", [](options& o) { o.inputs = 10; });
    return out;
}

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

/// Medians over runs.
struct summary {
    double quarter = 0, half = 0, all = 0, at_wall = 0, think = 0;
    double invalid = 0, rmse = 0, peak = 0;
};

struct runs_of_row {
    std::vector<double> quarter, half, all, at_wall, think, invalid, rmse, peak;

    void add(bench::replay_curve const& c, arguments const& given)
    {
        auto const best_after = [&](std::size_t n) {
            n = std::min(n, c.best_ms.size());
            return n == 0 ? std::numeric_limits<double>::infinity() : c.best_ms[n - 1];
        };
        quarter.push_back(best_after(given.trials / 4));
        half.push_back(best_after(given.trials / 2));
        all.push_back(best_after(given.trials));
        double const each_s = 1e-3 * static_cast<double>(given.evaluation_ms);
        double const wall_s = each_s * static_cast<double>(given.trials);
        std::size_t fit = 0;
        while (fit < c.thought_s.size() &&
               c.thought_s[fit] + each_s * static_cast<double>(fit + 1) <= wall_s)
            ++fit;
        at_wall.push_back(best_after(fit));
        think.push_back(c.cpu_s / (c.cpu_s + each_s * static_cast<double>(c.best_ms.size())));
    }
    void add(std::vector<attune::two_level_round> const& rounds,
             bench::recording const& from,
             double best)
    {
        double valid = 0;
        double bad = 0;
        std::vector<double> predicted;
        std::vector<double> measured;
        for (attune::two_level_round const& round : rounds) {
            valid += static_cast<double>(round.valid);
            bad += static_cast<double>(round.invalid);
            for (auto const& chosen : round.batch) {
                auto const* const m = std::get_if<attune::measurement>(&from.at(chosen.where));
                predicted.push_back(chosen.score);
                measured.push_back(m != nullptr ? best / m->value : 0);
            }
        }
        if (rounds.empty()) return;
        invalid.push_back(bad / std::max(1.0, bad + valid));
        rmse.push_back(bench::score_rmse(predicted, measured));
        peak.push_back(bench::average_peak_score(predicted, measured));
    }
    [[nodiscard]] summary medians() const
    {
        auto const of = [](std::vector<double> const& v) {
            return v.empty() ? 0 : bench::median(v);
        };
        return {of(quarter),
                of(half),
                of(all),
                of(at_wall),
                of(think),
                of(invalid),
                of(rmse),
                of(peak)};
    }
};

void print(std::string const& space, row const& of, summary const& s, double best)
{
    std::printf("levels space=%s search=%s latency_quarter_ms=%.5g latency_half_ms=%.5g "
                "latency_ms=%.5g vs_best=%.3f latency_wall_ms=%.5g think=%.3f",
                space.c_str(),
                of.name.c_str(),
                s.quarter,
                s.half,
                s.all,
                s.all / best,
                s.at_wall,
                s.think);
    if (of.rounds) std::printf(" invalid=%.3f rmse=%.3f peak32=%.3f", s.invalid, s.rmse, s.peak);
    std::printf("\n");
    std::fflush(stdout);
}

void run(arguments const& given)
{
    std::vector<row> chosen;
    std::vector<std::string> names;
    for (row const& r : rows(given.batch))
        names.push_back(r.name);
    if (given.search != "all") bench::require_known("--search", given.search, names);
    std::vector<std::string> const wanted =
        given.search == "all" ? names : bench::names_in(given.search);
    for (row& r : rows(given.batch))
        for (std::string const& name : wanted)
            if (r.name == name) chosen.push_back(std::move(r));
    std::map<std::string, std::map<std::string, summary>> results; // by space and search
    for (std::string const& path : bench::recorded_paths(given.data)) {
        if (!bench::has_part(path.substr(path.find_last_of('/') + 1), given.spaces)) continue;
        std::vector<std::string> notes;
        std::optional<bench::recording> const read = bench::read_recording(path, notes);
        if (!read) continue;
        bench::recording const& from = *read;
        attune::chain_of_trees const space = with_rows(from.space);
        for (row const& r : chosen) {
            runs_of_row runs;
            for (std::size_t i = 0; i < given.repeats; ++i) {
                std::fprintf(stderr,
                             "\r%s %s %zu/%zu ",
                             from.name.c_str(),
                             r.name.c_str(),
                             i + 1,
                             given.repeats);
                bench::replay_curve const curve = bench::replay(
                    space,
                    [&](attune::point const& p) { return from.at(p); },
                    r.make,
                    given.trials,
                    given.seed + i);
                runs.add(curve, given);
                if (r.rounds) runs.add(*r.rounds, from, curve.best_ms.back());
            }
            std::fprintf(stderr, "\r%*s\r", 70, "");
            results[from.name][r.name] = runs.medians();
            print(from.name, r, results[from.name][r.name], from.best_ms);
        }
    }
    if (results.empty()) throw std::runtime_error(given.data + ": no recorded space was replayed");
    for (row const& r : chosen) {
        double logs[4] = {};
        double think = 0;
        for (auto const& [space, by_name] : results) {
            summary const& s = by_name.at(r.name);
            auto const direct = by_name.find("direct");
            summary const& d = direct != by_name.end() ? direct->second : s;
            double const n = static_cast<double>(results.size());
            logs[0] += std::log(s.quarter / d.quarter) / n;
            logs[1] += std::log(s.half / d.half) / n;
            logs[2] += std::log(s.all / d.all) / n;
            logs[3] += std::log(s.at_wall / d.at_wall) / n;
            think += s.think / n;
        }
        std::printf("levels mean search=%s spaces=%zu quarter_vs_direct=%.3f half_vs_direct=%.3f "
                    "vs_direct=%.3f wall_vs_direct=%.3f think=%.3f\n",
                    r.name.c_str(),
                    results.size(),
                    std::exp(logs[0]),
                    std::exp(logs[1]),
                    std::exp(logs[2]),
                    std::exp(logs[3]),
                    think);
    }
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        run(parse(argc, argv));
        return 0;
    });
}
