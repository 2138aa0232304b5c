// bench/search/replay.cpp - searchers on recorded spaces: an evaluation is a look-up.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.replay --data DIR [--strategy NAME[,NAME...]] [--techniques FILE]
//          [--budget 220] [--repeats 20] [--seed 0] [--json FILE] [--field search_baselines.json]
//          [--spaces PART[,PART...]] [--beside FILE]
//          DIR: recorded files (*.csv.gz, *.csv, T4 results) in it and below; NAME: see
//          --list prints, or all; --techniques: a file with the name of a technique on each line
//          (technique_text.hpp), after the strategies, printed with _ for blanks; --spaces: only
//          files whose name holds one of the parts; --field: a JSON file with "field_mae_ms":
//          {space: milliseconds}; --beside: what bench/search/baselines.py printed
//          bench.search.replay --list
// Prints   a line per space and strategy; then a line per strategy with means over spaces and the
//          mean deviation factor: the mean over spaces of its MAE over that of the field, which is
//          the mean of the strategies given, or what --field says. With --beside a line per
//          strategy and tool of FILE: means of both over the spaces that they share, and ours over
//          theirs. Then where the first strategy is not ahead of another one, or of a tool of FILE,
//          after 40, 100 or 220 evaluations: `behind`, where the other is better by more than two
//          standard errors of the difference, `level` within two; last how many. Progress goes to
//          stderr.
// Note     a configuration that failed counts as an evaluation. frac, error: mean over runs of best
//          possible / best found, and its standard error (na for one run); na: beyond the budget.
//          MAE: mean over evaluations 40, 60, ..., budget of best so far less optimum (Willemsen
//          et al. 2021, Sec. IV-A). The JSON is {space: {strategy: {"frac": {"20", "40", "100",
//          "220"}, "mae_ms", "mae_rel", "evals_to_5pct", "reached_5pct",
//          "cpu_ms_per_suggestion"}}}; a mean over runs of which one found nothing that works is
//          null, and what is beyond the budget.
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
#include "replay_beside.hpp"
#include "replay_lead.hpp"
#include "replay_run.hpp"
#include "strategies.hpp"

namespace {

struct arguments {
    std::string data;
    std::string strategy;
    std::string techniques;
    std::size_t budget = 220;
    std::size_t repeats = 20;
    std::uint64_t seed = 0;
    std::string json;
    std::string field;
    std::string spaces;
    std::string beside;
    bool list = false;
};

[[nodiscard]] arguments parse(int count, char** text)
{
    arguments out;
    bench::read_arguments(count, text,
                          {{"--data", &out.data},
                           {"--strategy", &out.strategy},
                           {"--techniques", &out.techniques},
                           {"--budget", &out.budget, 1},
                           {"--repeats", &out.repeats, 1},
                           {"--seed", &out.seed},
                           {"--json", &out.json},
                           {"--field", &out.field},
                           {"--spaces", &out.spaces},
                           {"--beside", &out.beside},
                           {"--list", &out.list}});
    if (!out.list && out.data.empty()) throw std::runtime_error("--data DIR is needed");
    return out;
}

/// The field's MAE per space; empty without a file.
[[nodiscard]] std::map<std::string, double> field_of(std::string const& path)
{
    if (path.empty()) return {};
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    try {
        return nlohmann::json::parse(file).at("field_mae_ms").get<std::map<std::string, double>>();
    } catch (nlohmann::json::exception const& e) {
        throw std::runtime_error(path + ": " + e.what());
    }
}

/// strategy -> summary
using of_strategies = std::map<std::string, bench::replay_summary>;

[[nodiscard]] nlohmann::ordered_json to_json(bench::replay_summary const& s)
{
    auto const number = [](double v) {
        return std::isfinite(v) ? nlohmann::ordered_json(v) : nlohmann::ordered_json(nullptr);
    };
    nlohmann::ordered_json out;
    out["frac"] = {{"20", number(s.frac_20)},
                   {"40", number(s.frac_40)},
                   {"100", number(s.frac_100)},
                   {"220", number(s.frac_220)}};
    out["mae_ms"] = number(s.mae_ms);
    out["mae_rel"] = number(s.mae_rel);
    out["evals_to_5pct"] = s.evals_to_5pct ? number(*s.evals_to_5pct) : nullptr;
    out["reached_5pct"] = s.reached_5pct;
    out["cpu_ms_per_suggestion"] = s.cpu_ms_per_suggestion;
    return out;
}

[[nodiscard]] std::string fractions_text(bench::replay_summary const& s)
{
    return "frac20=" + bench::fraction_text(s.frac_20) +
           " frac40=" + bench::fraction_text(s.frac_40) +
           " frac100=" + bench::fraction_text(s.frac_100) +
           " frac220=" + bench::fraction_text(s.frac_220);
}

void print(std::string const& space, std::string const& strategy, bench::replay_summary const& s)
{
    std::string const evaluations =
        s.evals_to_5pct ? std::to_string(static_cast<int>(*s.evals_to_5pct)) : "na";
    std::printf("replay space=%s strategy=%s %s error40=%s error100=%s error220=%s mae_ms=%.5g "
                "mae_rel=%.4f evals_to_5pct=%s reached_5pct=%.2f failures=%.1f "
                "failures_after_40=%.3f cpu_ms_per_suggestion=%.3f\n",
                space.c_str(), strategy.c_str(), fractions_text(s).c_str(),
                bench::fraction_text(s.error_40).c_str(), bench::fraction_text(s.error_100).c_str(),
                bench::fraction_text(s.error_220).c_str(), s.mae_ms, s.mae_rel, evaluations.c_str(),
                s.reached_5pct, s.failures, s.failures_after_40, s.cpu_ms_per_suggestion);
    std::fflush(stdout);
}

/// The mean deviation factor and the means over spaces of each strategy.
void print_means(std::vector<bench::strategy> const& strategies,
                 std::map<std::string, of_strategies> const& results,
                 std::map<std::string, double> const& field)
{
    for (bench::strategy const& s : strategies) {
        double mdf = 0;
        double counted = 0;
        bench::replay_summary mean;
        double const spaces = static_cast<double>(results.size());
        for (auto const& [space, by_name] : results) {
            bench::replay_summary const& r = by_name.at(s.name);
            mean.frac_20 += r.frac_20 / spaces;
            mean.frac_40 += r.frac_40 / spaces;
            mean.frac_100 += r.frac_100 / spaces;
            mean.frac_220 += r.frac_220 / spaces;
            mean.reached_5pct += r.reached_5pct / spaces;
            mean.cpu_ms_per_suggestion += r.cpu_ms_per_suggestion / spaces;
            double reference = 0;
            if (auto const known = field.find(space); known != field.end())
                reference = known->second;
            else if (field.empty())
                for (auto const& [name, other] : by_name)
                    reference += other.mae_ms / static_cast<double>(by_name.size());
            if (!(reference > 0)) continue;
            mdf += r.mae_ms / reference;
            counted += 1;
        }
        std::printf("replay mean strategy=%s spaces=%zu %s reached_5pct=%.2f "
                    "cpu_ms_per_suggestion=%.3f mdf=%s mdf_spaces=%d\n",
                    s.name.c_str(), results.size(), fractions_text(mean).c_str(), mean.reached_5pct,
                    mean.cpu_ms_per_suggestion,
                    counted > 0 ? std::to_string(mdf / counted).c_str() : "na",
                    static_cast<int>(counted));
    }
}

[[nodiscard]] bench::replay_table beside_of(std::string const& path)
{
    if (path.empty()) return {};
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    bench::replay_table out = bench::read_replay_lines(file);
    if (out.empty()) throw std::runtime_error(path + ": no line begins with \"replay space=\"");
    return out;
}

[[nodiscard]] bench::replay_table table_of(std::map<std::string, of_strategies> const& results)
{
    bench::replay_table out;
    for (auto const& [space, by_name] : results)
        for (auto const& [name, s] : by_name)
            out[space][name] = {{s.frac_40, s.frac_100, s.frac_220},
                                {s.error_40, s.error_100, s.error_220}};
    return out;
}

void print_beside(bench::replay_table const& ours, bench::replay_table const& theirs)
{
    std::vector<bench::beside_row> const rows = bench::compare_replays(ours, theirs);
    if (rows.empty() && !theirs.empty())
        throw std::runtime_error("--beside: the file has none of the spaces that were replayed");
    for (bench::beside_row const& row : rows) {
        std::printf("beside strategy=%s other=%s", row.strategy.c_str(), row.other.c_str());
        for (std::size_t i = 0; i < bench::replay_checkpoints.size(); ++i)
            std::printf(" spaces%zu=%zu frac%zu=%s other_frac%zu=%s ratio%zu=%s",
                        bench::replay_checkpoints[i], row.spaces[i], bench::replay_checkpoints[i],
                        bench::fraction_text(row.its[i]).c_str(), bench::replay_checkpoints[i],
                        bench::fraction_text(row.others[i]).c_str(), bench::replay_checkpoints[i],
                        bench::fraction_text(row.ratio(i)).c_str());
        std::printf("\n");
    }
}

/// Where a strategy is not ahead of the other ones of `ours`, and of `theirs`.
void print_lead(std::string const& strategy, bench::replay_table const& ours,
                bench::replay_table const& theirs)
{
    std::map<std::string, bench::replay_line> its;
    bench::replay_table others = ours;
    for (auto& [space, by_name] : others)
        its[space] = by_name.extract(strategy).mapped();
    std::vector<bench::replay_rival> all = bench::rivals_of(its, others);
    for (bench::replay_rival const& tool : bench::rivals_of(its, theirs))
        all.push_back(tool);
    int behind = 0;
    int level = 0;
    for (bench::replay_rival const& r : all) {
        if (!r.is_ahead() && !r.is_level()) continue;
        ++(r.is_ahead() ? behind : level);
        std::printf("%s space=%s other=%s at=%zu difference=%.3f error=%.3f\n",
                    r.is_ahead() ? "behind" : "level", r.space.c_str(), r.other.c_str(), r.after,
                    r.difference, r.error);
    }
    std::printf("lead strategy=%s compared=%zu ahead=%zu level=%d behind=%d\n", strategy.c_str(),
                all.size(), all.size() - static_cast<std::size_t>(level + behind), level, behind);
}

void print_list()
{
    for (bench::strategy const& s : bench::strategies())
        std::printf("strategy name=%s\n", s.name.c_str());
}

void run(arguments const& given)
{
    std::vector<bench::strategy> const strategies =
        bench::strategies_and_techniques(given.strategy, given.techniques);
    std::map<std::string, double> const field = field_of(given.field);
    bench::replay_table const beside = beside_of(given.beside);
    std::map<std::string, of_strategies> results;
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (std::string const& path : bench::recorded_paths(given.data)) {
        if (!bench::has_part(path.substr(path.find_last_of('/') + 1), given.spaces)) continue;
        std::vector<std::string> notes;
        std::optional<bench::recording> const read = bench::read_recording(path, notes);
        if (!read) {
            std::fprintf(stderr, "%s: not a recorded space, skipped\n", path.c_str());
            continue;
        }
        bench::recording const& from = *read;
        for (std::string const& note : notes)
            std::fprintf(stderr, "%s\n", note.c_str());
        for (bench::strategy const& s : strategies) {
            std::vector<bench::replay_curve> curves;
            for (std::size_t r = 0; r < given.repeats; ++r) {
                std::fprintf(stderr, "\r%s %s %zu/%zu ", from.name.c_str(), s.name.c_str(), r + 1,
                             given.repeats);
                curves.push_back(bench::replay(
                    from.space, [&](attune::point const& p) { return from.at(p); }, s.make,
                    given.budget, given.seed + r));
            }
            std::fprintf(stderr, "\r%*s\r", 70, "");
            bench::replay_summary const summary =
                bench::summarise(curves, from.best_ms, given.budget);
            print(from.name, s.name, summary);
            json[from.name][s.name] = to_json(summary);
            results[from.name][s.name] = summary;
        }
    }
    if (results.empty()) throw std::runtime_error(given.data + ": no recorded space was replayed");
    print_means(strategies, results, field);
    bench::replay_table const ours = table_of(results);
    print_beside(ours, beside);
    print_lead(strategies.front().name, ours, beside);
    if (given.json.empty()) return;
    std::ofstream out(given.json);
    out << json.dump(2) << '\n';
    if (!out) throw std::runtime_error(given.json + ": cannot be written");
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments const given = parse(argc, argv);
        given.list ? print_list() : run(given);
        return 0;
    });
}
