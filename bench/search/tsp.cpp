// bench/search/tsp.cpp - tours by techniques, by recommended ones, and by a plain hill climber.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 7.1 and 7.2.3
//
// Run      bench.search.tsp --tsp DIR [--names att48,ftv44] [--repeats 75] [--seed 0]
//            [--approaches bndt-A,rec-bndt-dbi] [--searches 20] [--history-tested 1000]
//            [--history FILE] [--techniques members] [--beside FILE]
//          DIR: att48.tsp, dantzig42.tsp, ftv44.atsp, ftv170.atsp, p43.atsp, rbg323.atsp of TSPLIB
//          --approaches: of the thesis' twelve, at least bndt-A and rec-bndt-dbi; `all` of them
//          --searches: of the history, for each of 24 representations, the six instances and three
//          parts of each; --history-tested: tours that each tests. FILE keeps the history: read
//          where it is, else written
//          --techniques: each alone as well: `members` of technique_set_for() the space, `library`,
//          `none`, or a file with the name of a technique on each line
//          --beside: what bench/search/baselines.py --tsp printed
// Prints   Lengths of the best tour of each run after 3,000 tours (rbg323: 6,000): median, and in
//          low= and high= what 20 and 80 % of the runs do not exceed.
//          search: a line per instance and search; over_best: median / best known. climber: random
//          insertions, swaps and inversions of the tour at hand. default: an AUC bandit over
//          technique_set_for() the space. The approaches have a history without the instance and
//          its parts.
//          tsp: a line per instance; ratio: (bndt-A - best known) / (rec-bndt-dbi - best known)
//          total: without p43, whose optimum is another one in the thesis: mean and worst ratio;
//          vs_climber: geometric mean of climber / default, worst_vs_climber the smallest;
//          recommended_vs_climber: geometric mean of climber / rec-bndt-dbi
//          With --beside vs_opentuner= too, its median / that of default, on each instance of FILE;
//          last, without p43: the smallest, and on how many of them default is better
// Exit     2 when a file or an argument is wrong
#include <attune/search/compose/recommended.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/meta/auc_bandit.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "technique_file.hpp"
#include "tsp_beside.hpp"
#include "tsp_history.hpp"

namespace {

namespace search = attune::search;

struct arguments {
    std::string folder;
    std::string names = "all";
    std::string approaches = "bndt-A,rec-bndt-dbi";
    std::string techniques = "none";
    std::string history;
    std::string beside;
    std::size_t searches = 20;
    std::size_t history_tested = 1000;
    std::size_t repeats = 75;
    std::size_t seed = 0;
};

[[nodiscard]] arguments parse(int count, char** text)
{
    arguments out;
    bench::read_arguments(count, text,
                          {{"--tsp", &out.folder},
                           {"--names", &out.names},
                           {"--approaches", &out.approaches},
                           {"--techniques", &out.techniques},
                           {"--history", &out.history},
                           {"--beside", &out.beside},
                           {"--searches", &out.searches, 1},
                           {"--history-tested", &out.history_tested, 1},
                           {"--repeats", &out.repeats, 1},
                           {"--seed", &out.seed}});
    if (out.folder.empty()) throw std::runtime_error("--tsp DIR is needed");
    std::vector<std::string> names;
    for (bench::named_tours const& one : bench::all_tours)
        names.push_back(one.name);
    if (out.names != "all") bench::require_known("--names", out.names, names);
    if (out.approaches == "all") {
        out.approaches.clear();
        for (std::string const& name : search::approach_names())
            out.approaches += (out.approaches.empty() ? "" : ",") + name;
    }
    bench::require_known("--approaches", out.approaches, search::approach_names());
    for (char const* const needed : {"bndt-A", "rec-bndt-dbi"})
        if (!bench::is_in(out.approaches, needed))
            out.approaches += (out.approaches.empty() ? "" : ",") + std::string(needed);
    return out;
}

[[nodiscard]] std::vector<search::technique> techniques_named(std::string const& from,
                                                              attune::description const& space)
{
    if (from == "none") return {};
    if (from == "members") return search::technique_set_for(space);
    if (from == "library") return search::technique_library();
    return bench::techniques_in(from);
}

[[nodiscard]] search::technique_history history_of(arguments const& given)
{
    if (!given.history.empty()) {
        if (std::ifstream in(given.history); in) {
            std::ostringstream text;
            text << in.rdbuf();
            search::technique_history const known = search::read_history(text.str());
            if (!known.representations().empty()) return known;
        }
    }
    search::technique_history out;
    std::uint64_t seed = 1'000 * std::uint64_t{given.seed};
    for (bench::named_tours const& one : bench::all_tours) {
        bench::tsp_instance const whole = bench::read_tsp(given.folder + "/" + one.file);
        for (bench::tsp_representation const& of : bench::representations_of(one, whole))
            bench::add_random_searches(out, of, given.searches, given.history_tested, ++seed);
    }
    if (!given.history.empty()) {
        std::ofstream file(given.history);
        file << search::history_text(out);
        if (!file.flush()) throw std::runtime_error("cannot write " + given.history);
    }
    return out;
}

/// What the file of --beside has for the instances of this bench.
[[nodiscard]] std::map<std::string, bench::other_tours> others_of(arguments const& given)
{
    if (given.beside.empty()) return {};
    std::ifstream in(given.beside);
    if (!in) throw std::runtime_error("cannot read " + given.beside);
    std::map<std::string, bench::other_tours> out = bench::read_tours_lines(in);
    if (out.empty()) throw std::runtime_error(given.beside + ": no line begins with \"tours\"");
    for (bench::named_tours const& one : bench::all_tours)
        if (auto const other = out.find(one.name);
            other != out.end() && other->second.tested != one.tested)
            throw std::runtime_error(given.beside + ": " + one.name + " was searched with " +
                                     std::to_string(other->second.tested) + " tours, here " +
                                     std::to_string(one.tested) + " are");
    return out;
}

/// What the runs of one search found.
struct lengths {
    double low = 0, median = 0, high = 0;
};

/// @param all  lengths of runs, at least one
[[nodiscard]] lengths lengths_of(std::vector<double> all)
{
    std::sort(all.begin(), all.end());
    auto const at = [&](double share) {
        double const rank = std::ceil(share * static_cast<double>(all.size()) - 1e-9);
        return all[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
    };
    return {at(.2), at(.5), at(.8)};
}

struct race {
    bench::named_tours const& of;
    bench::tsp_instance tours;
    attune::chain_of_trees space;
    arguments const& given;

    lengths told(char const* kind, std::string const& name, std::vector<double> all) const
    {
        lengths const out = lengths_of(std::move(all));
        std::printf("%s %s median=%.0f low=%.0f high=%.0f over_best=%.3f tested=%zu runs=%zu "
                    "name=%s\n",
                    kind, of.name, out.median, out.low, out.high, out.median / of.best_known,
                    of.tested, given.repeats, name.c_str());
        std::fflush(stdout);
        return out;
    }
    lengths run(char const* kind, std::string const& name, attune::search_factory const& make) const
    {
        std::vector<double> all;
        for (std::size_t r = 0; r < given.repeats; ++r)
            all.push_back(bench::search_tours(tours, space, make, of.tested, given.seed + r).best);
        return told(kind, name, std::move(all));
    }
    lengths climb() const
    {
        std::vector<double> all;
        for (std::size_t r = 0; r < given.repeats; ++r)
            all.push_back(bench::climb_tours(tours, of.tested, given.seed + r));
        return told("search", "climber", std::move(all));
    }
};

/// Sums over instances.
struct totals {
    double ratios = 0;
    double worst_ratio = std::numeric_limits<double>::infinity();
    double logs = 0;             ///< of climber / default
    double logs_recommended = 0; ///< of climber / rec-bndt-dbi
    double worst = std::numeric_limits<double>::infinity();
    double count = 0;
    double worst_vs_opentuner = std::numeric_limits<double>::infinity();
    int with_opentuner = 0;
    int better_than_opentuner = 0;
};

/// Prints ` vs_opentuner=`, if the other program searched the instance.
void print_beside(bench::named_tours const& one,
                  std::map<std::string, bench::other_tours> const& others,
                  lengths const& by_default, totals& sums)
{
    auto const other = others.find(one.name);
    if (other == others.end()) return;
    double const ratio = other->second.median / by_default.median;
    std::printf(" vs_opentuner=%.3f", ratio);
    if (!one.is_counted) return;
    sums.worst_vs_opentuner = std::min(sums.worst_vs_opentuner, ratio);
    ++sums.with_opentuner;
    if (ratio > 1) ++sums.better_than_opentuner;
}

void run_instance(bench::named_tours const& one, arguments const& given,
                  search::technique_history const& all,
                  std::map<std::string, bench::other_tours> const& beside, totals& sums)
{
    bench::tsp_instance tours = bench::read_tsp(given.folder + "/" + one.file);
    attune::chain_of_trees space(bench::space_of_tours(tours.cities));
    race const run{one, std::move(tours), std::move(space), given};
    attune::description const& described = run.space.describe();
    for (search::technique const& t : techniques_named(given.techniques, described))
        (void)run.run("technique", t.name, t.make);
    lengths const climber = run.climb();
    lengths const by_default = run.run(
        "search", "default", search::auc_bandit_of(search::technique_set_for(described)).make);
    search::technique_history const others = bench::without_instance(all, one.name);
    lengths bandit_a;
    lengths recommended;
    for (std::string const& name : bench::names_in(given.approaches)) {
        lengths const found = run.run("search", name, search::approach(name, others));
        if (name == "bndt-A") bandit_a = found;
        if (name == "rec-bndt-dbi") recommended = found;
    }
    // A tour that is the best known one counts as one longer.
    double const ratio =
        (bandit_a.median - one.best_known) / std::max(recommended.median - one.best_known, 1.0);
    std::printf("tsp %s best_known=%.0f bndt_a=%.0f recommended=%.0f default=%.0f climber=%.0f "
                "ratio=%.2f vs_climber=%.3f recommended_vs_climber=%.3f counted=%d",
                one.name, one.best_known, bandit_a.median, recommended.median, by_default.median,
                climber.median, ratio, climber.median / by_default.median,
                climber.median / recommended.median, one.is_counted ? 1 : 0);
    print_beside(one, beside, by_default, sums);
    std::printf("\n");
    std::fflush(stdout);
    if (!one.is_counted) return;
    sums.ratios += ratio;
    sums.worst_ratio = std::min(sums.worst_ratio, ratio);
    sums.logs += std::log(climber.median / by_default.median);
    sums.logs_recommended += std::log(climber.median / recommended.median);
    sums.worst = std::min(sums.worst, climber.median / by_default.median);
    ++sums.count;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments const given = parse(argc, argv);
        std::map<std::string, bench::other_tours> const beside = others_of(given);
        search::technique_history const all = history_of(given);
        totals sums;
        for (bench::named_tours const& one : bench::all_tours)
            if (given.names == "all" || bench::is_in(given.names, one.name))
                run_instance(one, given, all, beside, sums);
        if (sums.count == 0) return 0; // p43 alone
        std::printf("total mean_ratio=%.2f worst_ratio=%.2f vs_climber=%.3f "
                    "worst_vs_climber=%.3f recommended_vs_climber=%.3f representations=%zu",
                    sums.ratios / sums.count, sums.worst_ratio, std::exp(sums.logs / sums.count),
                    sums.worst, std::exp(sums.logs_recommended / sums.count),
                    all.representations().size());
        if (sums.with_opentuner > 0)
            std::printf(" worst_vs_opentuner=%.3f better_than_opentuner=%d/%d",
                        sums.worst_vs_opentuner, sums.better_than_opentuner, sums.with_opentuner);
        std::printf("\n");
        return 0;
    });
}
