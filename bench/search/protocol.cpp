// bench/search/protocol.cpp - searches compared as BaCO and Kernel Tuner's authors compared theirs.
// SPDX-License-Identifier: MIT
// Source   Hellsten et al., "BaCO", ASPLOS 2023, Sec. 5 and App. A; Willemsen et al. 2021, Sec. IV
//
// Run      bench.search.protocol --data DIR --strategy NAME,NAME[,...] [--budget 60] [--longest 0]
//          [--repeats 30] [--seed 0] [--spaces PART[,PART...]] [--expert-percent 1]
//          [--experts FILE]
//          DIR, NAME, PART: as for bench.search.replay; the first NAME is compared with the others.
//          BaCO's protocol is the default; Kernel Tuner's is --budget 220 --longest 1020
//          --repeats 35. FILE: JSON, {space: milliseconds}: what an expert's configuration takes,
//          as bench.tune.suite --record writes it; of a space that is not there an expert is as
//          good as --expert-percent of the configurations that work, and the line has
//          expert=percent
// Prints   a line per space and strategy: the mean over runs of expert / best found after a third,
//          two thirds and all of the budget; how many runs reach the expert; sooner: how many times
//          sooner than the budget the first strategy reaches this one's end; needs: the evaluations
//          that this one needs for the first one's end, up to --longest ("more" beyond). Then a
//          line per strategy with geometric means over spaces, and the sums of runs
// Note     a configuration that failed counts as an evaluation; "na" where an end is not reached
// Exit     2 when a file or an argument is wrong
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "../support/recorded.hpp"
#include "replay_curve.hpp"
#include "replay_run.hpp"
#include "strategies.hpp"

namespace {

struct arguments {
    std::string data;
    std::string strategy;
    std::string spaces;
    std::string experts;
    std::size_t budget = 60;
    std::size_t longest = 0;
    std::size_t repeats = 30;
    std::size_t expert_percent = 1;
    std::uint64_t seed = 0;
};

[[nodiscard]] arguments parse(int count, char** text)
{
    arguments out;
    bench::read_arguments(count, text,
                          {{"--data", &out.data},
                           {"--strategy", &out.strategy},
                           {"--spaces", &out.spaces},
                           {"--experts", &out.experts},
                           {"--budget", &out.budget, 3},
                           {"--longest", &out.longest},
                           {"--repeats", &out.repeats, 1},
                           {"--expert-percent", &out.expert_percent, 1},
                           {"--seed", &out.seed}});
    if (out.data.empty() || out.strategy.empty())
        throw std::runtime_error("--data DIR and --strategy NAME,NAME[,...] are needed");
    out.longest = std::max(out.longest, out.budget);
    return out;
}

[[nodiscard]] std::map<std::string, double> experts_of(std::string const& path)
{
    if (path.empty()) return {};
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    try {
        return nlohmann::json::parse(file).get<std::map<std::string, double>>();
    } catch (nlohmann::json::exception const& e) {
        throw std::runtime_error(path + ": " + e.what());
    }
}

/// One line of the table.
struct row {
    double third = 0, two_thirds = 0, all = 0;
    std::size_t reached = 0;
    std::optional<double> sooner;     ///< of the first strategy than this one's end
    std::optional<std::size_t> needs; ///< evaluations for the first one's end
};

[[nodiscard]] std::string text_of(std::optional<double> const& number)
{
    char text[32];
    if (!number) return "na";
    std::snprintf(text, sizeof text, "%.2f", *number);
    return text;
}

void print(std::string const& space, std::string const& name, row const& r, arguments const& given)
{
    std::printf("protocol space=%s strategy=%s third=%.3f two_thirds=%.3f all=%.3f reached=%zu/%zu "
                "sooner=%s needs=%s\n",
                space.c_str(), name.c_str(), r.third, r.two_thirds, r.all, r.reached, given.repeats,
                text_of(r.sooner).c_str(), r.needs ? std::to_string(*r.needs).c_str() : "more");
    std::fflush(stdout);
}

using curves = std::vector<bench::replay_curve>;

[[nodiscard]] row row_of(curves const& runs, curves const& first, double expert_ms,
                         arguments const& given)
{
    row out;
    out.third = bench::relative_to_expert(runs, given.budget / 3, expert_ms);
    out.two_thirds = bench::relative_to_expert(runs, given.budget * 2 / 3, expert_ms);
    out.all = bench::relative_to_expert(runs, given.budget, expert_ms);
    out.reached = bench::reached_expert(runs, given.budget, expert_ms);
    out.sooner = bench::times_sooner(first, runs, given.budget);
    out.needs = bench::evaluations_to(runs, bench::mean_best(first, given.budget), given.longest);
    return out;
}

[[nodiscard]] curves runs_of(bench::recording const& from, bench::strategy const& s,
                             std::size_t evaluations, arguments const& given)
{
    curves out;
    for (std::size_t r = 0; r < given.repeats; ++r) {
        std::fprintf(stderr, "\r%s %s %zu/%zu ", from.name.c_str(), s.name.c_str(), r + 1,
                     given.repeats);
        out.push_back(bench::replay(
            from.space, [&](attune::point const& p) { return from.at(p); }, s.make, evaluations,
            given.seed + r));
    }
    std::fprintf(stderr, "\r%*s\r", 70, "");
    return out;
}

/// Milliseconds of as good a configuration as --expert-percent of those that work.
[[nodiscard]] double expert_among(bench::recording const& from, arguments const& given)
{
    std::vector<double> times;
    for (auto const& [p, result] : from.outcomes)
        if (auto const* const m = std::get_if<attune::measurement>(&result))
            times.push_back(m->value);
    return bench::expert_among(std::move(times), static_cast<double>(given.expert_percent));
}

/// Geometric means over spaces; `sooner` and `needs` over those where the end is reached.
void print_means(std::string const& name, std::vector<row> const& rows, arguments const& given)
{
    double third = 0, two_thirds = 0, all = 0, sooner = 0, sooner_spaces = 0, needs_spaces = 0;
    std::size_t reached = 0;
    for (row const& r : rows) {
        double const n = static_cast<double>(rows.size());
        third += std::log(r.third) / n;
        two_thirds += std::log(r.two_thirds) / n;
        all += std::log(r.all) / n;
        reached += r.reached;
        if (r.sooner) {
            sooner += std::log(*r.sooner);
            sooner_spaces += 1;
        }
        needs_spaces += r.needs ? 1 : 0;
    }
    std::printf("protocol mean strategy=%s spaces=%zu third=%.3f two_thirds=%.3f all=%.3f "
                "reached=%zu/%zu sooner=%s sooner_spaces=%.0f needs_spaces=%.0f\n",
                name.c_str(), rows.size(), std::exp(third), std::exp(two_thirds), std::exp(all),
                reached, given.repeats * rows.size(),
                sooner_spaces > 0 ? text_of(std::exp(sooner / sooner_spaces)).c_str() : "na",
                sooner_spaces, needs_spaces);
}

void run(arguments const& given)
{
    std::vector<bench::strategy> const strategies = bench::strategies_named(given.strategy);
    std::map<std::string, double> const experts = experts_of(given.experts);
    std::map<std::string, std::vector<row>> table;
    for (std::string const& path : bench::recorded_paths(given.data)) {
        if (!bench::has_part(path.substr(path.find_last_of('/') + 1), given.spaces)) continue;
        std::vector<std::string> notes;
        std::optional<bench::recording> const read = bench::read_recording(path, notes);
        if (!read) continue;
        bench::recording const& from = *read;
        auto const known = experts.find(from.name);
        double const expert_ms = known != experts.end() ? known->second : expert_among(from, given);
        std::printf("protocol space=%s configurations=%zu best_ms=%.5g expert_ms=%.5g expert=%s\n",
                    from.name.c_str(), from.outcomes.size(), from.best_ms, expert_ms,
                    known != experts.end() ? "file" : "percent");
        curves first;
        for (bench::strategy const& s : strategies) {
            bool const is_first = first.empty();
            curves const runs = runs_of(from, s, is_first ? given.budget : given.longest, given);
            if (is_first) first = runs;
            row const r = row_of(runs, first, expert_ms, given);
            print(from.name, s.name, r, given);
            table[s.name].push_back(r);
        }
    }
    if (table.empty()) throw std::runtime_error(given.data + ": no recorded space was replayed");
    for (bench::strategy const& s : strategies)
        print_means(s.name, table[s.name], given);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        run(parse(argc, argv));
        return 0;
    });
}
