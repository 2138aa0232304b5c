// bench/search/synthetic.cpp - searchers on huge spaces, under an objective of known optimum.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.synthetic --spaces FILE [--names baco_rs_cot_1024,ktt_atf_gemm2048]
//          [--strategy NAME[,NAME...]] [--techniques FILE] [--repeats 5] [--budget 220] [--seed 0]
//          --spaces: a JSON list of spaces, see attune/space/files/read_json.hpp; --strategy and
//          --techniques: as bench.search.replay, all strategies if neither is given
// Prints   a line per space, kind of objective and strategy: the mean over runs of best possible /
//          best found after 20, 40, 100 and 220 evaluations, na beyond the budget, failures,
//          processor milliseconds per suggestion. Each run has its own objective, see
//          synthetic_objective.hpp; `hidden`: with configurations that fail. Progress goes to
//          stderr.
// Exit     2 when a file or an argument is wrong
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/read_json.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "replay_run.hpp"
#include "strategies.hpp"
#include "synthetic_objective.hpp"

namespace {

struct arguments {
    std::string spaces;
    std::string names = "baco_rs_cot_1024,ktt_atf_gemm2048";
    std::string strategy;
    std::string techniques;
    std::size_t repeats = 5;
    std::size_t budget = 220;
    std::uint64_t seed = 0;
};

[[nodiscard]] arguments parse(int count, char** text)
{
    arguments out;
    bench::read_arguments(count, text,
                          {{"--spaces", &out.spaces},
                           {"--names", &out.names},
                           {"--strategy", &out.strategy},
                           {"--techniques", &out.techniques},
                           {"--repeats", &out.repeats, 1},
                           {"--budget", &out.budget, 1},
                           {"--seed", &out.seed}});
    if (out.spaces.empty()) throw std::runtime_error("--spaces FILE is needed");
    if (out.strategy.empty() && out.techniques.empty()) out.strategy = "all";
    return out;
}

void compare(std::string const& name, attune::chain_of_trees const& space,
             std::vector<bench::strategy> const& strategies, arguments const& given)
{
    for (bool const hidden : {false, true})
        for (bench::strategy const& s : strategies) {
            if (s.name == "exhaustive") continue; // the order of the index says nothing here
            std::vector<bench::replay_curve> curves;
            for (std::size_t r = 0; r < given.repeats; ++r) {
                std::fprintf(stderr, "\r%s %s %zu/%zu ", name.c_str(), s.name.c_str(), r + 1,
                             given.repeats);
                bench::synthetic_objective const objective(space, given.seed + r, hidden);
                curves.push_back(
                    bench::replay(space, objective, s.make, given.budget, given.seed + r));
            }
            std::fprintf(stderr, "\r%*s\r", 70, "");
            bench::replay_summary const m =
                bench::summarise(curves, bench::synthetic_objective::optimum, given.budget);
            std::printf(
                "synthetic space=%s log2_size=%.1f objective=%s strategy=%s frac20=%s frac40=%s "
                "frac100=%s frac220=%s failures=%.1f cpu_ms_per_suggestion=%.3f runs=%zu\n",
                name.c_str(), space.log2_size(), hidden ? "hidden" : "plain", s.name.c_str(),
                bench::fraction_text(m.frac_20).c_str(), bench::fraction_text(m.frac_40).c_str(),
                bench::fraction_text(m.frac_100).c_str(), bench::fraction_text(m.frac_220).c_str(),
                m.failures, m.cpu_ms_per_suggestion, given.repeats);
            std::fflush(stdout);
        }
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments const given = parse(argc, argv);
        std::vector<bench::strategy> const strategies =
            bench::strategies_and_techniques(given.strategy, given.techniques);
        std::vector<attune::named_space> const spaces = attune::read_spaces_file(given.spaces);
        std::vector<std::string> names;
        for (attune::named_space const& from : spaces)
            names.push_back(from.name);
        bench::require_known("--names", given.names, names);
        for (attune::named_space const& from : spaces) {
            if (!bench::is_in(given.names, from.name)) continue;
            attune::chain_of_trees const space(attune::bind_inputs(from.space, {}));
            compare(from.name, space, strategies, given);
        }
        return 0;
    });
}
