// bench.tune.networks : whole networks of programs, tuned in several ways, and run from the first layer to the last.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.networks [NETWORK...] [--rules own|metaschedule] [--trials 60] [--seeds 3]
//       [--seconds 600] [--strategies NAME[,NAME...]] [--repeats 10] [--runs 0]
//       [--libraries PYTHON]
//
// NETWORK  mobilenet, resnet50, bert: the layer tables of examples/networks at their full sizes
// --rules  what makes the space: attune's rules, or the designs of TVM's MetaSchedule, without
//          copies of padded inputs and other layouts of weights; the head of
//          space/schedule/metaschedule.hpp says what else differs
// --trials, --seconds  of each layer. For equal wall time: --trials 100000 --seconds 30
// --strategies  automatic, the default search, two_level and evolution tune each layer by itself;
//          learning: automatic, and each layer begins with the programs that were measured in the
//          layers before it (tuning_search::samples); together: all layers by the default search on
//          one budget, that of a layer as often as there are layers. Of two_level a round is 8
//          trials; evolution is
//          attune::evolutionary_search with MetaSchedule's constants but rounds of a quarter of the
//          trials (64 at most), so that its model learns in time. Without it, vs_evolution=na
// --repeats, --runs  of the whole network, in turns; --runs 0: as many as take about 50 ms.
//          Rocke 2024 has 10 and 1000
// --libraries  Python with torch, see environment.py: network_libraries.py runs the same layers in
//          the same order by torch's oneDNN kernels, on the same core
//
// Spaces and numbers of trials are the same for all; the winners are then timed in turns on one
// core, and all results of each network are compared with those of the plain nests.
// Prints a line per network, seed and strategy:
//   latency_ms=       of the winners, summed over layers and their calls
//   vs_evolution=     latency_ms over the evolution's: below 1 this strategy is faster
//   trials_to_match=  part of the evolution's trials after which the best readings were as good as
//                     the evolution's in the end; never: they were not
//   think=            part of the tunings' wall time in which the search chose
//   vs_default=       the readings of the best over those of the first trials, the defaults: what
//                     there was to gain
//   first8=           the best reading of all trials over the best of the first 8, geometric mean
//                     over layers; na for together
//   vs_automatic=     latency_ms over that of automatic. two_level is the default nowhere: it would
//                     have to be below 1 here at equal wall time
//   evaluations=, tuning_s=  of all its tunings, the latter in wall seconds
//   end_to_end_ms=    median over --repeats of a run from the first layer to the last one, each on
//                     what the one before has computed, with parameters of its own for each call;
//                     end_to_end_least_ms= and end_to_end_most_ms= are the extremes
//   torch_ms=, vs_torch=  of the fastest of several ways that torch has, torch=, in turns with
//                     ours; end_to_end_ms over torch_ms: below 1 we are faster
//   error=            the largest difference of all results to the plain nests', over the largest
//                     number of that result
// and `total`: geometric means over the lines of automatic, or else of the first strategy, with
// extremes, then of the other strategies.
// Exit   1 when a result is wrong, 2 when an argument is
#include <attune/attune.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/search/two_level/two_level_search.hpp>
#include <attune/space/schedule/metaschedule.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../examples/networks/bert.hpp"
#include "../../examples/networks/mobilenet.hpp"
#include "../../examples/networks/resnet50.hpp"
#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "../support/names.hpp"
#include "../support/pin.hpp"
#include "../support/scratch_folder.hpp"
#include "contest.hpp"
#include "network_run.hpp"
#include "network_tuning.hpp"
#include "rival_process.hpp"

namespace {

struct arguments {
    std::vector<std::string> networks{};
    std::string rules = "own";
    std::uint32_t trials = 60;
    std::size_t seeds = 3;
    std::uint32_t seconds = 600;
    std::string strategies{};
    std::size_t repeats = 10;
    std::size_t runs = 0;
    std::string libraries{};
};

std::vector<std::string> const all_strategies{"automatic", "learning", "two_level", "together",
                                              "evolution"};

/// The place of a strategy among those that were asked for.
[[nodiscard]] std::optional<std::size_t> place_of(std::string const& strategy,
                                                  std::vector<std::string> const& asked)
{
    auto const found = std::find(asked.begin(), asked.end(), strategy);
    if (found == asked.end()) return {};
    return static_cast<std::size_t>(found - asked.begin());
}

[[nodiscard]] attune::search_factory search_of(std::string const& strategy, std::uint32_t trials)
{
    if (strategy == "two_level") {
        attune::two_level_options levels;
        levels.batch = 8;
        levels.within_constraints = true;
        return attune::search_with<attune::two_level_search>(levels);
    }
    if (strategy == "evolution") {
        attune::evolutionary_options constants;
        constants.batch = std::clamp<std::size_t>(trials / 4, 1, constants.batch);
        return attune::search_with<attune::evolutionary_search>(constants);
    }
    return attune::default_search();
}

/// A network, tuned by each strategy.
template <class Network>
struct tuned_network {
    std::vector<bench::network_tuning> tunings;
    std::vector<bench::network_codes<typename Network::layers>> codes;
};

/// Tunes a layer by those strategies that tune it by itself, and times it by all in turns.
/// @param how  its samples are those of `learning`
template <class Layer, class Network>
void add_layer(int calls, std::vector<std::string> const& strategies,
               attune::program_options const& options, bench::program_search const& how,
               tuned_network<Network>& out)
{
    bench::layer_arguments<Layer> data(Layer::program.describe(), {});
    std::vector<bench::contestant> all;
    for (std::size_t at = 0; at < strategies.size(); ++at) {
        auto& code = out.codes[at].template of<Layer>();
        if (strategies[at] != "together") {
            bench::program_search mine = how;
            mine.strategy = search_of(strategies[at], how.evaluations);
            if (strategies[at] != "learning") mine.samples.clear();
            code = bench::tune_layer<Layer>(calls, options, data, mine, out.tunings[at]);
        }
        all.push_back(bench::here(strategies[at], [&data, &code] { data.call(*code); }));
    }
    std::vector<double> const s = bench::contest(all);
    std::string line = "layer " + Layer::program.describe().name;
    for (std::size_t at = 0; at < s.size(); ++at) {
        out.tunings[at].latency_s += calls * s[at];
        char text[64];
        std::snprintf(text, sizeof text, " %s_ms=%.4f", strategies[at].c_str(), s[at] * 1e3);
        line += text;
    }
    std::fprintf(stderr, "%s count=%d\n", line.c_str(), calls);
}

template <class Network>
[[nodiscard]] tuned_network<Network>
tune(arguments const& asked, std::vector<std::string> const& strategies, std::uint64_t seed)
{
    attune::program_options options;
    if (asked.rules == "metaschedule") options.rules = attune::metaschedule_rules();
    bench::scratch_folder const folder(std::filesystem::temp_directory_path().string());
    bench::program_search const how{.evaluations = asked.trials,
                                    .seconds = asked.seconds,
                                    .seed = seed,
                                    .samples = folder.path() + "/samples"};
    tuned_network<Network> out{
        std::vector<bench::network_tuning>(strategies.size()),
        std::vector<bench::network_codes<typename Network::layers>>(strategies.size())};
    if (auto const at = place_of("together", strategies))
        out.tunings[*at] = bench::tune_layers_together<Network>(options, how, out.codes[*at]);
    Network::layers::for_each([&]<class Layer>(Layer, int calls) {
        add_layer<Layer>(calls, strategies, options, how, out);
    });
    return out;
}

/// The whole network by each strategy, and by torch.
struct end_to_end {
    std::vector<std::vector<double>> seconds{}; ///< of each strategy, in each repeat, sorted
    std::vector<double> error{};
    double torch_s = 0; ///< 0: not asked for, or why not is on stderr
    std::string torch{};
};

template <class Network>
[[nodiscard]] end_to_end run(bench::network_run<Network>& whole, tuned_network<Network>& tuned,
                             arguments const& asked, std::vector<bench::contestant> const& torch)
{
    end_to_end out;
    std::vector<bench::contestant> all;
    for (auto& codes : tuned.codes) {
        whole.run(&codes); // shapes of this memory are verified
        whole.run(&codes);
        out.error.push_back(whole.worst());
        all.push_back(bench::here("", [&whole, &codes] { whole.run(&codes); }));
    }
    all.insert(all.end(), torch.begin(), torch.end());
    std::vector<std::size_t> const calls = asked.runs > 0
                                               ? std::vector<std::size_t>(all.size(), asked.runs)
                                               : bench::calls_in(0.05, all);
    out.seconds = bench::contest_rounds(all, asked.repeats, calls);
    for (std::size_t at = tuned.codes.size(); at < all.size(); ++at)
        if (double const s = bench::median(out.seconds[at]); out.torch.empty() || s < out.torch_s) {
            out.torch_s = s;
            out.torch = all[at].label;
        }
    out.seconds.resize(tuned.codes.size());
    for (std::vector<double>& of : out.seconds)
        std::sort(of.begin(), of.end());
    return out;
}

[[nodiscard]] std::string field(std::string const& name, double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    return ' ' + name + '=' + text;
}

/// Compares networks, and prints.
class comparison {
public:
    comparison(arguments asked, std::vector<std::string> strategies)
        : asked_(std::move(asked))
        , strategies_(std::move(strategies))
    {
        if (!asked_.libraries.empty())
            torch_ = bench::rival_process(
                {asked_.libraries, std::string(ATTUNE_BENCH_SCRIPTS) + "/network_libraries.py"});
    }

    template <class Network>
    void add(std::string const& network)
    {
        if (!asked_.networks.empty() && !place_of(network, asked_.networks)) return;
        bench::network_run<Network> whole;
        for (std::uint64_t seed = 0; seed < asked_.seeds; ++seed) {
            tuned_network<Network> tuned = tune<Network>(asked_, strategies_, seed);
            end_to_end const ran = run(whole, tuned, asked_, torch_.of(network));
            for (std::size_t at = 0; at < strategies_.size(); ++at) {
                std::string const line = "network " + network + " rules=" + asked_.rules +
                                         " trials=" + std::to_string(asked_.trials);
                std::printf("%s%s seed=%u%s error=%.1e\n", line.c_str(),
                            tuning_fields(tuned.tunings, at).c_str(), static_cast<unsigned>(seed),
                            run_fields(ran, at).c_str(), ran.error[at]);
                std::fflush(stdout);
                is_right_ = is_right_ && ran.error[at] < 1e-3;
            }
        }
    }

    void print_total() const
    {
        std::string line = "total";
        for (char const* const name : {"vs_evolution", "vs_torch"})
            if (auto const found = ratios_.find({strategies_.front(), name});
                found != ratios_.end()) {
                auto const [least, most] =
                    std::minmax_element(found->second.begin(), found->second.end());
                line += mean_field(strategies_.front(), name, name) +
                        field(std::string(name) + "_least", *least) +
                        field(std::string(name) + "_most", *most);
            }
        for (std::size_t at = 1; at < strategies_.size(); ++at)
            for (char const* const name : {"vs_evolution", "vs_automatic", "vs_torch"})
                line += mean_field(strategies_[at], name, strategies_[at] + '_' + name);
        std::printf("%s\n", line.c_str());
    }

    [[nodiscard]] bool is_right() const noexcept { return is_right_; }

private:
    [[nodiscard]] std::string tuning_fields(std::vector<bench::network_tuning> const& tunings,
                                            std::size_t at)
    {
        bench::network_tuning const& mine = tunings[at];
        auto const ratio_to = [&](char const* other) {
            auto const place = place_of(other, strategies_);
            std::string const name = std::string("vs_") + other;
            if (!place) return ' ' + name + "=na";
            if (*place == at) return field(name, 1);
            return ratio_field(at, name, mine.latency_s / tunings[*place].latency_s);
        };
        std::string match = " trials_to_match=na";
        if (auto const evolution = place_of("evolution", strategies_)) {
            auto const part = bench::trials_to_match(mine, tunings[*evolution]);
            match = part ? field("trials_to_match", *part) : " trials_to_match=never";
        }
        double const gained =
            mine.curve.after(mine.curve.trials()) / mine.curve.after(mine.curve_layers);
        return field("latency_ms", mine.latency_s * 1e3) + ratio_to("evolution") + match +
               field("think", mine.search_s / mine.elapsed_s) + " strategy=" + strategies_[at] +
               field("vs_default", gained) +
               (mine.curve_layers == 1 ? field("first8", mine.curve.found_after(8))
                                       : " first8=na") +
               ratio_to("automatic") + " evaluations=" + std::to_string(mine.evaluations) +
               field("tuning_s", mine.elapsed_s);
    }

    [[nodiscard]] std::string run_fields(end_to_end const& ran, std::size_t at)
    {
        std::vector<double> const& s = ran.seconds[at];
        double const middle = bench::median(s);
        std::string out = field("end_to_end_ms", middle * 1e3) +
                          field("end_to_end_least_ms", s.front() * 1e3) +
                          field("end_to_end_most_ms", s.back() * 1e3);
        if (!ran.torch.empty())
            out += field("torch_ms", ran.torch_s * 1e3) +
                   ratio_field(at, "vs_torch", middle / ran.torch_s) + " torch=" + ran.torch;
        return out;
    }

    /// The field, which print_total() has the mean of.
    [[nodiscard]] std::string ratio_field(std::size_t at, std::string const& name, double ratio)
    {
        ratios_[{strategies_[at], name}].push_back(ratio);
        return field(name, ratio);
    }

    /// The geometric mean over the lines of a strategy; nothing where they do not have the field.
    [[nodiscard]] std::string mean_field(std::string const& strategy, std::string const& name,
                                         std::string const& label) const
    {
        auto const found = ratios_.find({strategy, name});
        if (found == ratios_.end()) return {};
        double logs = 0;
        for (double const ratio : found->second)
            logs += std::log(ratio);
        return field(label, std::exp(logs / static_cast<double>(found->second.size())));
    }

    arguments asked_;
    std::vector<std::string> strategies_;
    bench::rival_process torch_{};
    std::map<std::pair<std::string, std::string>, std::vector<double>> ratios_{};
    bool is_right_ = true;
};

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"NETWORK", &asked.networks},
                               {"--rules", &asked.rules},
                               {"--trials", &asked.trials, 1},
                               {"--seeds", &asked.seeds, 1},
                               {"--seconds", &asked.seconds, 1},
                               {"--strategies", &asked.strategies},
                               {"--repeats", &asked.repeats, 1},
                               {"--runs", &asked.runs},
                               {"--libraries", &asked.libraries}});
        for (std::string const& network : asked.networks)
            bench::require_known("NETWORK", network, {"mobilenet", "resnet50", "bert"});
        bench::require_known("--rules", asked.rules, {"own", "metaschedule"});
        bench::require_known("--strategies", asked.strategies, all_strategies);
        std::vector<std::string> strategies;
        for (std::string const& one : all_strategies)
            if (bench::is_in(asked.strategies, one)) strategies.push_back(one);
        bench::pin_to_one_core();
        comparison all(asked, strategies);
        all.add<networks::mobilenet<>>("mobilenet");
        all.add<networks::resnet50<>>("resnet50");
        all.add<networks::bert<>>("bert");
        all.print_total();
        return all.is_right() ? 0 : 1;
    });
}
