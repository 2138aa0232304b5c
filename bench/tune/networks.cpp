// bench.tune.networks : whole networks of programs, tuned by the default search and by an evolution.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.networks [NETWORK...] [--rules own|metaschedule] [--trials 60] [--seeds 1]
//       [--seconds 600] [--no-evolution] [--libraries PYTHON]
//
// NETWORK  mobilenet, resnet50, bert: the layer tables of examples/networks at their full sizes
// --rules  what makes the space: attune's rules, or the designs of TVM's MetaSchedule
// --trials, --seconds  of each tuning of a layer; --seconds is a cap
// --no-evolution       half of the time: nothing of the evolution is printed
// --libraries          Python with torch, see environment.py: network_libraries.py runs the same
//                      layers in the same order by torch's oneDNN kernels, on the same core
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
//   end_to_end_ms=    of a run from the first layer to the last one, each on what the one before
//                     has computed, with parameters of its own for each call
//   vs_torch=         end_to_end_ms over torch's, in turns: below 1 we are faster. Of several ways
//                     that torch has, torch= is the fastest
// and `total` with the geometric means of vs_evolution= and vs_torch= over the lines.
#include <attune/attune.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/space/schedule/metaschedule.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../examples/networks/bert.hpp"
#include "../../examples/networks/mobilenet.hpp"
#include "../../examples/networks/resnet50.hpp"
#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "../support/pin.hpp"
#include "contest.hpp"
#include "network_run.hpp"
#include "program_arguments.hpp"
#include "program_tuning.hpp"
#include "rival_process.hpp"

namespace {

struct arguments {
    std::vector<std::string> networks{};
    std::string rules = "own";
    std::uint32_t trials = 60;
    std::size_t seeds = 1;
    std::uint32_t seconds = 600;
    bool no_evolution = false;
    std::string libraries{};
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

/// One layer, tuned by both. @param whole  gets our code
template <class Layer, class Network>
void add_layer(int count,
               arguments const& asked,
               std::uint64_t seed,
               network_sums& sums,
               bench::network_run<Network>& whole)
{
    using signature = typename decltype(Layer::program)::signature;
    attune::program_options options;
    if (asked.rules == "metaschedule") options.rules = attune::metaschedule_rules();
    auto const kernel = Layer::program.kernel(options);
    bench::program_arguments<signature> data(Layer::program.describe(), {});
    bench::program_search how{.evaluations = asked.trials, .seconds = asked.seconds, .seed = seed};
    auto ours = bench::tune_program(kernel, data, how);
    std::shared_ptr const code = std::move(ours.code);
    whole.template add<Layer>(code);
    for (std::size_t trial = 0; trial < sums.best_after.size(); ++trial)
        sums.best_after[trial] += count * ours.best_after(trial);
    sums.elapsed_s += ours.report.elapsed_s;
    sums.search_s += ours.report.search_s;
    if (asked.no_evolution) {
        double const s = bench::contest({bench::here("ours", [&] { data.call(*code); })}).front();
        sums.ours += count * s;
        std::fprintf(stderr,
                     "layer %s count=%d ms=%.4f evaluations=%u\n",
                     ours.report.kernel.c_str(),
                     count,
                     s * 1e3,
                     ours.report.evaluations);
        return;
    }
    attune::evolutionary_options constants;
    constants.batch = std::clamp<std::size_t>(asked.trials / 4, 1, constants.batch);
    how.strategy = attune::search_with<attune::evolutionary_search>(constants);
    auto const evolution = bench::tune_program(kernel, data, how);

    std::vector<double> const s =
        bench::contest({bench::here("ours", [&] { data.call(*code); }),
                        bench::here("evolution", [&] { data.call(*evolution.code); })});
    sums.ours += count * s[0];
    sums.evolution += count * s[1];
    sums.evolution_reading += count * evolution.best_after(asked.trials - 1);
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

[[nodiscard]] std::string fixed(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    return text;
}

/// Our time over that of others; 0: not asked for.
struct network_ratios {
    double vs_evolution = 0;
    double vs_torch = 0;
};

/// What the evolution says of the network, as fields of the line.
[[nodiscard]] std::string evolution_fields(network_sums const& sums)
{
    std::string match = "never";
    for (std::size_t trial = sums.best_after.size(); trial-- > 0;)
        if (sums.best_after[trial] <= sums.evolution_reading)
            match =
                fixed(static_cast<double>(trial + 1) / static_cast<double>(sums.best_after.size()));
    return " vs_evolution=" + fixed(sums.ours / sums.evolution) + " trials_to_match=" + match;
}

/// The whole network in turns with torch's. @param fields  gets what to print
template <class Network>
[[nodiscard]] double beside_torch(bench::network_run<Network>& whole,
                                  bench::rival_process const& torch,
                                  std::string const& name,
                                  std::string& fields)
{
    whole.run(); // shapes of this memory are verified
    std::vector<bench::contestant> all{bench::here("ours", [&] { whole.run(); })};
    for (bench::contestant& one : torch.of(name))
        all.push_back(std::move(one));
    std::vector<double> const s = bench::contest(all, 15, 0.05);
    fields += " end_to_end_ms=" + fixed(s[0] * 1e3);
    auto const best = std::min_element(s.begin() + 1, s.end());
    if (best == s.end()) return 0; // why is on stderr
    fields += " torch_ms=" + fixed(*best * 1e3) + " vs_torch=" + fixed(s[0] / *best) +
              " torch=" + all[static_cast<std::size_t>(best - s.begin())].label;
    return s[0] / *best;
}

template <class Network>
[[nodiscard]] network_ratios run(std::string const& name,
                                 arguments const& asked,
                                 bench::rival_process const& torch,
                                 std::uint64_t seed)
{
    network_sums sums(asked.trials);
    bench::network_run<Network> whole;
    Network::layers::for_each(
        [&]<class Layer>(Layer, int count) { add_layer<Layer>(count, asked, seed, sums, whole); });
    network_ratios out;
    std::string fields;
    if (!asked.no_evolution) {
        out.vs_evolution = sums.ours / sums.evolution;
        fields = evolution_fields(sums);
    }
    if (!asked.libraries.empty()) out.vs_torch = beside_torch(whole, torch, name, fields);
    std::printf("network %s rules=%s trials=%u latency_ms=%.3f think=%.3f%s\n",
                name.c_str(),
                asked.rules.c_str(),
                asked.trials,
                sums.ours * 1e3,
                sums.search_s / sums.elapsed_s,
                fields.c_str());
    std::fflush(stdout);
    return out;
}

/// A geometric mean.
class mean_ratio {
public:
    void add(double ratio)
    {
        if (ratio <= 0) return;
        logs_ += std::log(ratio);
        ++count_;
    }
    /// " NAME=RATIO", nothing without one.
    [[nodiscard]] std::string field(char const* name) const
    {
        return count_ == 0 ? "" : std::string(" ") + name + '=' + fixed(std::exp(logs_ / count_));
    }

private:
    double logs_ = 0;
    int count_ = 0;
};

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
                               {"--seconds", &asked.seconds, 1},
                               {"--no-evolution", &asked.no_evolution},
                               {"--libraries", &asked.libraries}});
        for (std::string const& network : asked.networks)
            bench::require_known("NETWORK", network, {"mobilenet", "resnet50", "bert"});
        bench::require_known("--rules", asked.rules, {"own", "metaschedule"});
        bench::pin_to_one_core();
        bench::rival_process torch;
        if (!asked.libraries.empty())
            torch = bench::rival_process(
                {asked.libraries, std::string(ATTUNE_BENCH_SCRIPTS) + "/network_libraries.py"});
        mean_ratio vs_evolution, vs_torch;
        auto const add = [&]<class Network>(std::type_identity<Network>, char const* name) {
            if (!asked.networks.empty() &&
                std::count(asked.networks.begin(), asked.networks.end(), name) == 0)
                return;
            for (std::uint64_t seed = 0; seed < asked.seeds; ++seed) {
                network_ratios const ratios = run<Network>(name, asked, torch, seed);
                vs_evolution.add(ratios.vs_evolution);
                vs_torch.add(ratios.vs_torch);
            }
        };
        add(std::type_identity<networks::mobilenet<>>{}, "mobilenet");
        add(std::type_identity<networks::resnet50<>>{}, "resnet50");
        add(std::type_identity<networks::bert<>>{}, "bert");
        std::printf("total%s%s\n",
                    vs_evolution.field("vs_evolution").c_str(),
                    vs_torch.field("vs_torch").c_str());
        return 0;
    });
}
