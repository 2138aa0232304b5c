// bench/search/tsp.cpp - tours by techniques of the thesis DeepTuner, and by a plain hill climber.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 7.2.3: the instances, and how many tours are tested
//
// Run      bench.search.tsp --tsp DIR [--names att48,ftv44] [--techniques library] [--repeats 9]
//          [--seed 0]
//          DIR: att48.tsp, dantzig42.tsp, ftv44.atsp, ftv170.atsp, p43.atsp, rbg323.atsp of TSPLIB
//          --techniques library: every one of technique_library() and some compositions; a file
//          with the name of a technique on each line; or `none`
// Prints   technique: a line per instance and technique, the median length of its best tour.
//          tsp: a line per instance: the best known length; medians of the best tours after 3,000
//          tours (rbg323: 6,000) of the AUC bandit over technique set A, of the same bandit over
//          sets pgd and D and over technique_set_orders(), of a hill climber that tries random
//          insertions, swaps and inversions and keeps what is not longer, and of the best technique
//          alone, which is named. ratio: bandit_a / best_known. total: mean and worst ratio;
//          vs_climber: geometric mean of climber / bandit_a, above 1 where the bandit is better
// Exit     2 when a file or an argument is wrong
#include <attune/core/random.hpp>
#include <attune/declare/order.hpp>
#include <attune/search/compose/order_changes.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "../support/names.hpp"
#include "replay_run.hpp"
#include "tsp_instance.hpp"

namespace {

namespace search = attune::search;

struct named_tours {
    std::string name;
    std::string file;
    double best_known;
    std::size_t tested;
};
std::vector<named_tours> const all_tours{{"att48", "att48.tsp", 10628, 3000},
                                         {"dantzig42", "dantzig42.tsp", 699, 3000},
                                         {"ftv44", "ftv44.atsp", 1613, 3000},
                                         {"ftv170", "ftv170.atsp", 2755, 3000},
                                         {"p43", "p43.atsp", 5620, 3000},
                                         {"rbg323", "rbg323.atsp", 1326, 6000}};

struct arguments {
    std::string folder;
    std::string names = "all";
    std::string techniques = "library";
    std::size_t repeats = 9;
    std::size_t seed = 0;
};

[[nodiscard]] arguments parse(int count, char** text)
{
    arguments out;
    bench::read_arguments(count,
                          text,
                          {{"--tsp", &out.folder},
                           {"--names", &out.names},
                           {"--techniques", &out.techniques},
                           {"--repeats", &out.repeats, 1},
                           {"--seed", &out.seed}});
    if (out.folder.empty()) throw std::runtime_error("--tsp DIR is needed");
    return out;
}

[[nodiscard]] std::vector<search::technique> techniques_named(std::string const& from)
{
    if (from == "none") return {};
    std::vector<search::technique> out;
    if (from == "library") {
        out = search::technique_library();
        for (char const* const base : {"greedy", "greedy;population,3", "uniform_greedy_mutation"})
            for (char const* const op :
                 {"random_swap", "random_invert", "random_shift", "random_move"})
                out.push_back(
                    search::parse_technique(std::string(base) + " permutation;" + op + ";[[]]"));
        for (char const* const cross : {"px", "pmx", "cx", "ox1", "ox3"})
            out.push_back(search::parse_technique(std::string("random_three_parents ") +
                                                  "permutation;cross_" + cross + ";[[]]"));
        return out;
    }
    std::ifstream in(from);
    if (!in) throw std::runtime_error("cannot read " + from);
    for (std::string line; std::getline(in, line);)
        if (!line.empty()) out.push_back(search::parse_technique(line));
    return out;
}

/// The best of so many tours by random insertions, swaps and inversions of the tour at hand.
[[nodiscard]] double climb(bench::tsp_instance const& of, std::size_t tested, std::uint64_t seed)
{
    attune::random_engine engine(seed);
    search::item_order now(of.cities);
    std::iota(now.begin(), now.end(), std::uint16_t{0});
    attune::shuffle(std::span(now), engine);
    double length = of.length(now);
    for (std::size_t i = 1; i < tested; ++i) {
        std::size_t a = attune::uniform_below(engine, of.cities);
        std::size_t b = attune::uniform_below(engine, of.cities - 1);
        b += b < a ? 0 : 1; // another place
        std::uint64_t const kind = attune::uniform_below(engine, 3);
        if (kind == 2 && a > b) std::swap(a, b);
        search::item_order const next = kind == 0   ? search::shifted(now, a, 1, b)
                                        : kind == 1 ? search::swapped(now, a, b)
                                                    : search::inverted(now, a, b - a + 1);
        double const its = of.length(next);
        if (its > length) continue;
        now = next;
        length = its;
    }
    return length;
}

struct race {
    bench::tsp_instance tours;
    attune::chain_of_trees space;
    std::size_t tested;
    arguments const& given;

    [[nodiscard]] double median_of(attune::search_factory const& make) const
    {
        auto const length = [&](attune::point const& p) -> attune::outcome {
            return attune::measurement::exact(
                tours.length(attune::detail::order_of(space.describe(), 0, p)));
        };
        std::vector<double> all;
        for (std::size_t r = 0; r < given.repeats; ++r)
            all.push_back(
                bench::replay(space, length, make, tested, given.seed + r).best_ms.back());
        return bench::median(all);
    }
    [[nodiscard]] double median_of(std::vector<search::technique> const& set) const
    {
        return median_of(search::auc_bandit_of(set).make);
    }
};

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments const given = parse(argc, argv);
        std::vector<std::string> names;
        for (named_tours const& one : all_tours)
            names.push_back(one.name);
        if (given.names != "all") bench::require_known("--names", given.names, names);
        std::vector<search::technique> const techniques = techniques_named(given.techniques);
        double sum = 0;
        double worst = 0;
        double logs = 0;
        double count = 0;
        for (named_tours const& one : all_tours) {
            if (given.names != "all" && !bench::is_in(given.names, one.name)) continue;
            bench::tsp_instance tours = bench::read_tsp(given.folder + "/" + one.file);
            attune::chain_of_trees space(bench::space_of_tours(tours.cities));
            race const run{std::move(tours), std::move(space), one.tested, given};
            double best = std::numeric_limits<double>::infinity();
            std::string best_name = "none";
            for (search::technique const& t : techniques) {
                double const length = run.median_of(t.make);
                std::printf(
                    "technique %s length=%.0f name=%s\n", one.name.c_str(), length, t.name.c_str());
                std::fflush(stdout);
                if (length < best) {
                    best = length;
                    best_name = t.name;
                }
            }
            std::vector<double> climbed;
            for (std::size_t r = 0; r < given.repeats; ++r)
                climbed.push_back(climb(run.tours, one.tested, given.seed + r));
            double const climber = bench::median(climbed);
            double const bandit = run.median_of(search::technique_set_a());
            double const ratio = bandit / one.best_known;
            std::printf("tsp %s best_known=%.0f bandit_a=%.0f bandit_pgd=%.0f bandit_d=%.0f "
                        "bandit_orders=%.0f climber=%.0f best_technique=%.0f ratio=%.3f tested=%zu "
                        "runs=%zu name=%s\n",
                        one.name.c_str(),
                        one.best_known,
                        bandit,
                        run.median_of(search::technique_set_pgd()),
                        run.median_of(search::technique_set_d()),
                        run.median_of(search::technique_set_orders()),
                        climber,
                        best,
                        ratio,
                        one.tested,
                        given.repeats,
                        best_name.c_str());
            std::fflush(stdout);
            sum += ratio;
            worst = std::max(worst, ratio);
            logs += std::log(climber / bandit);
            ++count;
        }
        std::printf("total mean_ratio=%.3f worst_ratio=%.3f vs_climber=%.3f\n",
                    sum / count,
                    worst,
                    std::exp(logs / count));
        return 0;
    });
}
