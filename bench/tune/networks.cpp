// bench.tune.networks : whole networks of programs, tuned by the default search and by an evolution.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.networks [NETWORK...] [--rules own|metaschedule] [--trials 60] [--seeds 1]
//       [--seconds 600]
//
// NETWORK  mobilenet, resnet50, bert: the layer tables of examples/networks at their full sizes
// --rules  what makes the space: attune's rules, or the designs of TVM's MetaSchedule
// --trials, --seconds  of each tuning of a layer; --seconds is a cap
//
// Each layer is tuned by the default search and by attune::evolutionary_search, with MetaSchedule's
// constants but batches of a quarter of the trials (64 at most), so that its model learns in time.
// Space and number of trials are the same; both winners are then timed in turns on one core.
// Prints a line per network and seed, sums over its layers weighted by their calls:
//   latency_ms=       of our winners
//   vs_evolution=     our time over the evolution's: below 1 we are faster
//   trials_to_match=  part of its trials after which our best readings were as good as the
//                     evolution's in the end; never: they were not
//   think=            part of our tunings' wall time in which the search chose
// and `total vs_evolution=`, the geometric mean of the lines.
#include <attune/attune.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/space/schedule/metaschedule.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../../examples/networks/bert.hpp"
#include "../../examples/networks/mobilenet.hpp"
#include "../../examples/networks/resnet50.hpp"
#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "../support/pin.hpp"
#include "contest.hpp"
#include "program_arguments.hpp"
#include "program_tuning.hpp"

namespace {

struct arguments {
    std::vector<std::string> networks{};
    std::string rules = "own";
    std::uint32_t trials = 60;
    std::size_t seeds = 1;
    std::uint32_t seconds = 600;
};

/// Of the whole network, in seconds.
struct network_sums {
    explicit network_sums(std::size_t trials)
        : best_after(trials)
    {
    }
    double ours = 0;
    double evolution = 0;
    std::vector<double> best_after; ///< our best readings after so many trials
    double evolution_reading = 0;   ///< its best readings in the end
    double elapsed_s = 0;
    double search_s = 0;
};

/// One layer, tuned by both.
template <class Layer>
void add_layer(int count, arguments const& asked, std::uint64_t seed, network_sums& sums)
{
    using signature = typename decltype(Layer::program)::signature;
    attune::program_options options;
    if (asked.rules == "metaschedule") options.rules = attune::metaschedule_rules();
    auto const kernel = Layer::program.kernel(options);
    bench::program_arguments<signature> data(Layer::program.describe(), {});
    bench::program_search how{.evaluations = asked.trials, .seconds = asked.seconds, .seed = seed};
    auto const ours = bench::tune_program(kernel, data, how);
    attune::evolutionary_options constants;
    constants.batch = std::clamp<std::size_t>(asked.trials / 4, 1, constants.batch);
    how.strategy = attune::search_with<attune::evolutionary_search>(constants);
    auto const evolution = bench::tune_program(kernel, data, how);

    std::vector<double> const s =
        bench::contest({bench::here("ours", [&] { data.call(*ours.code); }),
                        bench::here("evolution", [&] { data.call(*evolution.code); })});
    sums.ours += count * s[0];
    sums.evolution += count * s[1];
    for (std::size_t trial = 0; trial < sums.best_after.size(); ++trial)
        sums.best_after[trial] += count * ours.best_after(trial);
    sums.evolution_reading += count * evolution.best_after(asked.trials - 1);
    sums.elapsed_s += ours.report.elapsed_s;
    sums.search_s += ours.report.search_s;
    std::fprintf(
        stderr,
        "layer %s count=%d ms=%.4f vs_evolution=%.3f evaluations=%u evolution_evaluations=%u\n",
        ours.report.kernel.c_str(),
        count,
        s[0] * 1e3,
        s[0] / s[1],
        ours.report.evaluations,
        evolution.report.evaluations);
}

/// @return  our time over the evolution's
template <class Network>
double run(std::string const& name, arguments const& asked, std::uint64_t seed)
{
    network_sums sums(asked.trials);
    Network::layers::for_each(
        [&]<class Layer>(Layer, int count) { add_layer<Layer>(count, asked, seed, sums); });
    std::string match = "never";
    for (std::size_t trial = sums.best_after.size(); trial-- > 0;)
        if (sums.best_after[trial] <= sums.evolution_reading) {
            char text[32];
            std::snprintf(text,
                          sizeof text,
                          "%.3f",
                          static_cast<double>(trial + 1) /
                              static_cast<double>(sums.best_after.size()));
            match = text;
        }
    double const ratio = sums.ours / sums.evolution;
    std::printf("network %s rules=%s trials=%u latency_ms=%.3f vs_evolution=%.3f "
                "trials_to_match=%s think=%.3f\n",
                name.c_str(),
                asked.rules.c_str(),
                asked.trials,
                sums.ours * 1e3,
                ratio,
                match.c_str(),
                sums.search_s / sums.elapsed_s);
    std::fflush(stdout);
    return ratio;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc,
                              argv,
                              {{"NETWORK", &asked.networks},
                               {"--rules", &asked.rules},
                               {"--trials", &asked.trials, 1},
                               {"--seeds", &asked.seeds, 1},
                               {"--seconds", &asked.seconds, 1}});
        for (std::string const& network : asked.networks)
            bench::require_known("NETWORK", network, {"mobilenet", "resnet50", "bert"});
        bench::require_known("--rules", asked.rules, {"own", "metaschedule"});
        bench::pin_to_one_core();
        double logs = 0;
        int lines = 0;
        auto const add = [&]<class Network>(std::type_identity<Network>, char const* name) {
            if (!asked.networks.empty() &&
                std::count(asked.networks.begin(), asked.networks.end(), name) == 0)
                return;
            for (std::uint64_t seed = 0; seed < asked.seeds; ++seed) {
                logs += std::log(run<Network>(name, asked, seed));
                ++lines;
            }
        };
        add(std::type_identity<networks::mobilenet<>>{}, "mobilenet");
        add(std::type_identity<networks::resnet50<>>{}, "resnet50");
        add(std::type_identity<networks::bert<>>{}, "bert");
        std::printf("total vs_evolution=%.3f\n", std::exp(logs / lines));
        return 0;
    });
}
