// bench/search/code_metrics.cpp - what numbers of the compiled code are worth to the search.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.code_metrics [--kernels all] [--repeats 20] [--budget 60] [--seed 0]
// Prints   a line per kernel, with and without the numbers: the mean over runs of best possible /
//          best found after 20 and 40 evaluations and at the end, the mean number of evaluations
//          until 2 % above the best possible (the budget where that was not reached), in how many
//          runs it was, failures, processor milliseconds per suggestion; then the difference of
//          these evaluations with its standard error over the seeds, which both have in common
// Note     kernels are formulas. target: the time is how far a number is from where it is best, and
//          the number is an uneven function of the parameters. tiles: a matrix product whose
//          registers, spills and occupancy follow from tiles and unrolling, and do not say all of
//          its time. unrelated: the number has nothing to do with the time, nor with the
//          parameters.
// Exit     2 when an argument is wrong
#include <attune/attune.hpp>
#include <attune/core/random.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/estimate.hpp"
#include "../support/names.hpp"
#include "replay_run.hpp"

namespace {

struct arguments {
    std::string kernels = "all";
    std::size_t repeats = 20;
    std::size_t budget = 60;
    std::uint64_t seed = 0;
};

using values = std::vector<double>;

/// What compiling and running one configuration shows.
struct shown {
    double time = 0; ///< not above 0: it failed
    values numbers;
};

struct formula_kernel {
    std::string name;
    attune::description space;
    std::vector<std::string> numbers;
    std::function<shown(values const&)> run;
};

[[nodiscard]] formula_kernel target()
{
    static constexpr auto ten = attune::range(0, 9);
    static constexpr auto space =
        attune::space(attune::ordinal<"A">(ten), attune::ordinal<"B">(ten),
                      attune::ordinal<"C">(ten), attune::ordinal<"D">(ten));
    return {"target", attune::build(space).describe(), {"h"}, [](values const& v) -> shown {
                double const h = 0.7 * v[0] * v[1] / 9 + (v[2] - 4) * (v[2] - 4) / 4 + 0.9 * v[3] +
                                 2 * std::fmod(v[0] + v[3], 3);
                return {1 + std::abs(h - 7.3), {h}};
            }};
}

[[nodiscard]] formula_kernel tiles()
{
    static constexpr auto bm = attune::ordinal<"BM">(attune::powers_of_two(16, 256));
    static constexpr auto bn = attune::ordinal<"BN">(attune::powers_of_two(16, 256));
    static constexpr auto tm = attune::ordinal<"TM">(attune::powers_of_two(1, 16));
    static constexpr auto tn = attune::ordinal<"TN">(attune::powers_of_two(1, 16));
    static constexpr auto bk = attune::ordinal<"BK">(attune::powers_of_two(8, 32));
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::powers_of_two(1, 8));
    static constexpr auto stages = attune::ordinal<"STAGES">(attune::values(1, 2));
    static constexpr auto space = attune::space(bm, bn, tm, tn, bk, unroll, stages)
                                      .where(bm * bn >= 32 * tm * tn, bm * bn <= 1024 * tm * tn,
                                             (bm + bn) * bk * stages <= 24576)
                                      .features(bm * bn / (tm * tn));
    return {"tiles",
            attune::build(space).describe(),
            {"registers", "spill_bytes > 0", "occupancy"},
            [](values const& v) -> shown {
                double const threads = v[0] * v[1] / (v[2] * v[3]);
                bool const prefetches = v[6] > 1;
                double const wanted = 24 + v[2] * v[3] + 0.75 * (v[2] + v[3]) * v[5] +
                                      (prefetches ? (v[0] + v[1]) * v[4] / threads : 0) +
                                      (v[5] > 2 ? 8 : 0);
                double const spilled = std::max(0.0, wanted - 255) * 4;
                double const registers = std::ceil(std::min(wanted, 255.0) / 8) * 8;
                double const shared = (v[0] + v[1]) * v[4] * 4 * v[6];
                double const blocks = std::floor(std::min(
                    {65536 / (registers * threads), 2048 / threads, 160 * 1024 / shared, 32.0}));
                double const occupancy = std::min(1.0, blocks * std::ceil(threads / 32) / 64);
                values const numbers{registers, spilled > 0 ? 1.0 : 0.0, occupancy};
                if (blocks < 1) return {0, numbers};
                double const hidden =
                    std::min(1.0, 0.1 + occupancy * v[2] * v[3] * std::sqrt(v[5]) / 12);
                double const time =
                    (1 / hidden + 38.4 * (1 / v[0] + 1 / v[1]) + 0.8 * (1 / v[2] + 1 / v[3])) *
                    (1 + spilled / 64) * (prefetches ? 1 : 1.15 - 0.15 * occupancy);
                return {time, numbers};
            }};
}

[[nodiscard]] formula_kernel unrelated()
{
    formula_kernel out = target();
    out.name = "unrelated";
    out.run = [](values const& v) -> shown {
        attune::random_engine engine(
            static_cast<std::uint64_t>(v[0] + 10 * (v[1] + 10 * (v[2] + 10 * v[3]))));
        double const h = attune::uniform_unit(engine);
        return {1 + 0.1 * (v[0] - 3) * (v[0] - 3) + 0.1 * (v[1] - 6) * (v[1] - 6) +
                    0.2 * std::abs(v[2] - v[3] + 2) + 0.05 * v[2],
                {h}};
    };
    return out;
}

struct run_result {
    bench::replay_curve curve;
    double reached = 0; ///< evaluations until 2 % above the best possible, or the budget
};

[[nodiscard]] values values_at(attune::description const& space, attune::point const& p)
{
    values out;
    for (std::size_t i = 0; i < p.size(); ++i)
        out.push_back(static_cast<double>(space.parameters[i].integer_at(p[i].index)));
    return out;
}

[[nodiscard]] double best_of(formula_kernel const& k)
{
    double out = std::numeric_limits<double>::infinity();
    attune::chain_of_trees const space(k.space);
    for (attune::point const& p : attune::configurations(space))
        if (shown const s = k.run(values_at(k.space, p)); s.time > 0) out = std::min(out, s.time);
    return out;
}

[[nodiscard]] run_result run(formula_kernel const& k, bool with_numbers, double best,
                             std::size_t budget, std::uint64_t seed)
{
    attune::description described = k.space;
    if (with_numbers) described.code_metrics = k.numbers;
    attune::chain_of_trees const space(described);
    // replay() shows a searcher outcomes only, so the numbers take the other way to it.
    attune::bayesian_searcher searcher(space, seed);
    struct shared {
        attune::bayesian_searcher* held;
        std::vector<attune::point> ask(std::size_t n) { return held->ask(n); }
        void tell(attune::point const& p, attune::outcome const& o) { held->tell(p, o); }
    };
    run_result out;
    out.curve = bench::replay(
        space,
        [&](attune::point const& p) -> attune::outcome {
            shown const s = k.run(values_at(described, p));
            searcher.tell_metrics(p, s.numbers);
            if (s.time > 0) return attune::measurement::exact(s.time);
            return attune::failure{attune::failure_stage::launch, "too many registers"};
        },
        [&](attune::chain_of_trees const&, std::uint64_t) { return shared{&searcher}; }, budget,
        seed);
    std::vector<double> const& found = out.curve.best_ms;
    auto const first = std::find_if(found.begin(), found.end(),
                                    [&](double value) { return value <= 1.02 * best; });
    out.reached = static_cast<double>(
        std::min<std::ptrdiff_t>(first - found.begin() + 1, static_cast<std::ptrdiff_t>(budget)));
    return out;
}

void compare(formula_kernel const& k, arguments const& given)
{
    double const best = best_of(k);
    double const runs = static_cast<double>(given.repeats);
    std::vector<double> saved(given.repeats, 0);
    for (bool const with_numbers : {false, true}) {
        std::vector<bench::replay_curve> curves;
        double evaluations = 0;
        double end = 0;
        int reached = 0;
        for (std::size_t r = 0; r < given.repeats; ++r) {
            run_result const one = run(k, with_numbers, best, given.budget, given.seed + r);
            saved[r] += with_numbers ? -one.reached : one.reached;
            evaluations += one.reached / runs;
            end += best / one.curve.best_ms.back() / runs;
            reached += one.curve.best_ms.back() <= 1.02 * best ? 1 : 0;
            curves.push_back(one.curve);
        }
        bench::replay_summary const m = bench::summarise(curves, best, given.budget);
        std::printf("code_metrics kernel=%s numbers=%s frac20=%s frac40=%s frac_end=%.3f "
                    "to_2pct=%.1f reached=%d failures=%.1f cpu_ms_per_suggestion=%.3f runs=%zu\n",
                    k.name.c_str(), with_numbers ? "yes" : "no",
                    bench::fraction_text(m.frac_20).c_str(),
                    bench::fraction_text(m.frac_40).c_str(), end, evaluations, reached, m.failures,
                    m.cpu_ms_per_suggestion, given.repeats);
        std::fflush(stdout);
    }
    bench::estimate const of_saved = bench::estimate_of(saved);
    std::printf("code_metrics kernel=%s saved_to_2pct=%.1f standard_error=%.1f\n", k.name.c_str(),
                of_saved.mean, of_saved.error);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments given;
        bench::read_arguments(argc, argv,
                              {{"--kernels", &given.kernels},
                               {"--repeats", &given.repeats, 1},
                               {"--budget", &given.budget, 1},
                               {"--seed", &given.seed}});
        std::vector<formula_kernel> const all{target(), tiles(), unrelated()};
        std::vector<std::string> names{"all"};
        for (formula_kernel const& k : all)
            names.push_back(k.name);
        bench::require_known("--kernels", given.kernels, names);
        for (formula_kernel const& k : all)
            if (given.kernels == "all" || bench::is_in(given.kernels, k.name)) compare(k, given);
        return 0;
    });
}
