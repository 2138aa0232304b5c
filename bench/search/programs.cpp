// bench/search/programs.cpp - what a cost model that learnt from other programs is worth for the next one.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.programs --record FILE [--layers NAME[,NAME...]] [--configurations 121]
//          [--seconds 400] [--seed 0]
//          bench.search.programs --table FILE [--layers NAME[,NAME...]] [--trials 60] [--repeats 3]
//          [--batch 8] [--seed 0] [--model xgboost]
//          The first measures configurations of each layer, the default and random ones, for at
//          most --seconds each, and appends them to FILE. A configuration's seconds are the least
//          of its repeats; one whose first run takes 12 times the quickest is cut off and counts as
//          failed. On a busy machine record several times into FILE: the least of all times counts.
//          The second replays FILE.
// Prints   a line per layer; the model learnt from all other layers alone:
//          rank, the share of pairs, 2 % or more apart, that it has in the right order; rmse of its
//          scores; peak32 (score_quality.hpp); *_shuffled, the same where the times of each other
//          layer's configurations are dealt out at random; *_expected, of description::expected,
//          which knows no measurement.
//          first8_*: the best that any search found in --trials evaluations over the best of the
//          first 8 proposals, geometric means over --repeats seeds. with, without, shuffled: two
//          levels with the other layers' programs, without, with dealt out times; evolution_*:
//          MetaSchedule's search; direct, direct_with, direct_shuffled: the library's default
//          search, which believes description::expected, and the others' programs beside it;
//          random: replay of random configurations. at_quarter_*, at_end_*: the same after a
//          quarter of the trials, and after all. With --model xgboost: *_xgboost, the same by
//          XGBoost with the same options (of with: both its models); learn_ms, predict_ms of our
//          own, and learn_by_xgboost, predict_by_xgboost: its processor time over ours. The last
//          line has the geometric means over layers (of rank, rmse and peak32 the means).
// Note     a space is the configurations of the table, so that each proposal has a time: searches
//          cannot leave it, and differ less than in the whole space. Two levels with others'
//          programs hedge their first round by description::expected, also with dealt out times.
// Exit     2 when a file or an argument is wrong
#include <attune/attune.hpp>
#include <attune/core/random.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/cost/boosted_trees.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/random.hpp>
#ifdef ATTUNE_BENCH_XGBOOST
#include <attune/search/cost/xgboost_trees.hpp>
#endif
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/search/two_level/two_level_search.hpp>
#include <attune/space/schedule/derived_space.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "../support/score_quality.hpp"
#include "program_recording.hpp"
#include "program_table.hpp"
#include "replay_run.hpp"
#include "small_layers.hpp"

namespace {

struct arguments {
    std::string record;
    std::string table;
    std::string layers;
    std::size_t configurations = 121;
    std::size_t seconds = 400;
    std::size_t trials = 60;
    std::size_t repeats = 3;
    std::size_t batch = 8;
    std::size_t seed = 0;
    std::string model;
    [[nodiscard]] bool with_xgboost() const { return model == "xgboost"; }
};

[[nodiscard]] arguments parse(int count, char** text)
{
    arguments out;
    bench::read_arguments(count, text,
                          {{"--record", &out.record},
                           {"--table", &out.table},
                           {"--layers", &out.layers},
                           {"--configurations", &out.configurations, 9},
                           {"--seconds", &out.seconds, 1},
                           {"--trials", &out.trials, 9},
                           {"--repeats", &out.repeats, 1},
                           {"--batch", &out.batch, 1},
                           {"--seed", &out.seed},
                           {"--model", &out.model}});
    if (out.record.empty() == out.table.empty())
        throw std::runtime_error("either --record FILE or --table FILE is needed");
    bench::require_known("--model", out.model, {"xgboost"});
#ifndef ATTUNE_BENCH_XGBOOST
    if (out.with_xgboost())
        throw std::runtime_error("--model xgboost: built without libxgboost (Debian: "
                                 "libxgboost-dev)");
#endif
    return out;
}

void record(arguments const& asked)
{
    bench::for_each_small_layer(asked.layers, [&]<class Layer>() {
        auto const begin = std::chrono::steady_clock::now();
        std::vector<bench::program_row> const rows =
            bench::record_program<Layer>(asked.configurations, asked.seconds, 12, asked.seed);
        attune::derived_space const derived(Layer::program.describe());
        std::string const name(Layer::name);
        std::ofstream file(asked.record, std::ios::app);
        file << bench::table_text(name, derived.describe(), rows) << std::flush;
        if (!file) throw std::runtime_error(asked.record + ": cannot be written");
        std::printf(
            "recorded %s configurations=%zu seconds=%.1f\n", name.c_str(), rows.size(),
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        std::fflush(stdout);
    });
}

/// All programs but one. @param engine  not null: it deals each program's seconds out at random
[[nodiscard]] attune::cost_samples all_but(std::vector<bench::measured_program> const& all,
                                           bench::measured_program const& but,
                                           attune::random_engine* engine)
{
    attune::cost_samples out;
    for (bench::measured_program const& one : all) {
        if (&one == &but) continue;
        std::vector<std::optional<double>> seconds = one.seconds;
        if (engine != nullptr) attune::shuffle(std::span(seconds), *engine);
        for (std::size_t i = 0; i < one.points.size(); ++i)
            out.add(one.name, one.rows[i], seconds[i]);
    }
    return out;
}

/// The share of pairs, of scores that differ by 2 % or more, that `predicted` has in their order;
/// equal predictions count half.
[[nodiscard]] double rank_accuracy(std::span<double const> predicted,
                                   std::span<double const> scores)
{
    double right = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < scores.size(); ++i)
        for (std::size_t j = 0; j < scores.size(); ++j) {
            if (!(scores[i] > 1.02 * scores[j])) continue;
            pairs += 1;
            right += predicted[i] > predicted[j] ? 1 : predicted[i] == predicted[j] ? .5 : 0;
        }
    return pairs > 0 ? right / pairs : .5;
}

/// Sums of fields by name, in the order of their first mention.
class fields {
public:
    /// Adds to a mean: of logarithms, or of the values themselves.
    void add(std::string const& name, double value, bool is_ratio)
    {
        auto const at =
            std::find_if(all_.begin(), all_.end(), [&](field const& f) { return f.name == name; });
        field& to = at != all_.end() ? *at : all_.emplace_back(field{name, is_ratio});
        to.sum += is_ratio ? std::log(value) : value;
        to.count += 1;
    }
    void print() const
    {
        for (field const& f : all_)
            std::printf(" %s=%.3f", f.name.c_str(), mean(f));
        std::printf("\n");
        std::fflush(stdout);
    }
    void add_means_to(fields& to) const
    {
        for (field const& f : all_)
            to.add(f.name, mean(f), f.is_ratio);
    }

private:
    struct field {
        std::string name;
        bool is_ratio = false;
        double sum = 0;
        double count = 0;
    };
    [[nodiscard]] static double mean(field const& f)
    {
        return f.is_ratio ? std::exp(f.sum / f.count) : f.sum / f.count;
    }
    std::vector<field> all_;
};

struct contender {
    std::string name;
    attune::search_factory make;
};

[[nodiscard]] std::vector<contender> contenders(arguments const& asked,
                                                std::shared_ptr<attune::cost_samples const> others,
                                                std::shared_ptr<attune::cost_samples const> dealt)
{
    auto const levels = [&](std::shared_ptr<attune::cost_samples const> samples) {
        attune::two_level_options o;
        o.batch = asked.batch;
        o.within_constraints = true;
        o.samples = std::move(samples);
        return attune::search_with<attune::two_level_search>(o);
    };
    auto const evolution = [&](std::shared_ptr<attune::cost_samples const> samples) {
        attune::evolutionary_options o;
        o.batch = asked.batch;
        o.samples = std::move(samples);
        return attune::search_with<attune::evolutionary_search>(o);
    };
    auto const direct = [](std::shared_ptr<attune::cost_samples const> samples) {
        return [samples](attune::chain_of_trees const& space, std::uint64_t seed) {
            attune::any_searcher out = attune::default_search()(space, seed);
            (void)out.learn_from(*samples);
            return out;
        };
    };
    std::vector<contender> out{{"with", levels(others)},
                               {"without", levels(nullptr)},
                               {"shuffled", levels(dealt)},
                               {"evolution_with", evolution(others)},
                               {"evolution_without", evolution(nullptr)},
                               {"direct", attune::default_search()},
                               {"direct_with", direct(others)},
                               {"direct_shuffled", direct(dealt)},
                               {"random", attune::search_with<attune::random_searcher>()}};
#ifdef ATTUNE_BENCH_XGBOOST
    if (asked.with_xgboost()) {
        attune::two_level_options o;
        o.batch = asked.batch;
        o.within_constraints = true;
        o.samples = others;
        o.model = [] { return attune::any_cost_model(attune::xgboost_trees()); };
        out.push_back({"with_xgboost", attune::search_with<attune::two_level_search>(o)});
    }
#endif
    return out;
}

#ifdef ATTUNE_BENCH_XGBOOST
/// Processor seconds of a model, the least of three times.
struct timed_model {
    timed_model(attune::any_cost_model model, bench::measured_program const& program,
                attune::cost_samples const& others)
    {
        for (int time = 0; time < 3; ++time) {
            double const begin = bench::thread_seconds();
            model.learn(others.programs(), others.places());
            double const learnt = bench::thread_seconds();
            said = model.predict(program.rows);
            learn_s = std::min(learn_s, learnt - begin);
            predict_s = std::min(predict_s, bench::thread_seconds() - learnt);
        }
    }
    std::vector<double> said{};
    double learn_s = std::numeric_limits<double>::infinity();
    double predict_s = std::numeric_limits<double>::infinity();
};
#endif

/// What the models say of a program that they have not seen.
void judge_models(fields& out, bench::measured_program const& program,
                  attune::cost_samples const& others, attune::cost_samples const& dealt,
                  [[maybe_unused]] bool with_xgboost)
{
    auto const judge = [&](std::string const& suffix, std::vector<double> const& predicted) {
        out.add("rank" + suffix, rank_accuracy(predicted, program.scores), false);
        if (suffix != "_expected")
            out.add("rmse" + suffix, bench::score_rmse(predicted, program.scores), false);
        out.add("peak32" + suffix, bench::average_peak_score(predicted, program.scores), false);
    };
    auto const learnt = [&](attune::cost_samples const& from) {
        attune::boosted_trees model(attune::boosting_options::for_other_tasks());
        model.learn(from.programs(), from.places());
        return model.predict(program.rows);
    };
    judge("", learnt(others));
#ifdef ATTUNE_BENCH_XGBOOST
    if (with_xgboost) {
        auto const options = attune::boosting_options::for_other_tasks();
        timed_model const ours(attune::boosted_trees(options), program, others);
        timed_model const theirs(attune::xgboost_trees(options), program, others);
        judge("_xgboost", theirs.said);
        out.add("learn_ms", ours.learn_s * 1e3, true);
        out.add("predict_ms", ours.predict_s * 1e3, true);
        out.add("learn_by_xgboost", theirs.learn_s / ours.learn_s, true);
        out.add("predict_by_xgboost", theirs.predict_s / ours.predict_s, true);
    }
#endif
    judge("_shuffled", learnt(dealt));
    if (auto const& expected = program.space.describe().expected) {
        std::vector<double> predicted;
        for (attune::point const& p : program.points)
            predicted.push_back(1 / expected(p));
        judge("_expected", predicted);
    }
}

void judge_searches(fields& out, bench::measured_program const& program,
                    std::vector<contender> const& all, arguments const& asked)
{
    for (std::size_t repeat = 0; repeat < asked.repeats; ++repeat) {
        std::vector<bench::replay_curve> curves;
        double best = std::numeric_limits<double>::infinity();
        for (contender const& one : all) {
            curves.push_back(bench::replay(
                program.space, [&](attune::point const& p) { return program.outcomes.at(p); },
                one.make, asked.trials, asked.seed + repeat));
            best = std::min(best, curves.back().best_ms.back());
        }
        auto const add = [&](std::string const& field, std::size_t evaluations) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                std::vector<double> const& by = curves[i].best_ms;
                out.add(field + all[i].name, best / by[std::min(evaluations, by.size()) - 1], true);
            }
        };
        add("first8_", 8);
        add("at_quarter_", asked.trials / 4);
        add("at_end_", asked.trials);
    }
}

void replay(arguments const& asked)
{
    std::vector<bench::measured_program> all;
    bench::for_each_small_layer(asked.layers, [&]<class Layer>() {
        if (auto one = bench::read_program(asked.table, Layer::name, Layer::program.describe());
            one && one->points.size() > 8)
            all.push_back(*std::move(one));
    });
    if (all.size() < 2)
        throw std::runtime_error(
            asked.table + ": it takes two layers with more than 8 configurations: record it");
    fields total;
    for (bench::measured_program const& program : all) {
        attune::random_engine engine(asked.seed);
        auto const others =
            std::make_shared<attune::cost_samples const>(all_but(all, program, nullptr));
        auto const dealt =
            std::make_shared<attune::cost_samples const>(all_but(all, program, &engine));
        fields of_program;
        judge_models(of_program, program, *others, *dealt, asked.with_xgboost());
        judge_searches(of_program, program, contenders(asked, others, dealt), asked);
        auto const failed =
            std::count(program.seconds.begin(), program.seconds.end(), std::nullopt);
        std::printf("program %s configurations=%zu failed=%td best_ms=%.4f default=%.3f",
                    program.name.c_str(), program.points.size(), failed, program.best_s() * 1e3,
                    program.scores.front());
        of_program.print();
        of_program.add_means_to(total);
    }
    std::printf("total");
    total.print();
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments const asked = parse(argc, argv);
        if (!asked.record.empty())
            record(asked);
        else
            replay(asked);
        return 0;
    });
}
