// bench.tune.programs : layers of neural networks from their mathematics, beside libraries and MetaSchedule.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.programs [LAYER...] [--evaluations N] [--seconds S] [--seed S] [--no-random]
//   [--inputs] [--weights] [--samples FILE [--two-level]]
//       [--libraries PYTHON] [--metaschedule FOLDER --metaschedule-python PYTHON] [--help]
//
// --help says what the fields are; environment.py, program_libraries.py and metaschedule.py how the
// other sides are installed.
#include <attune/attune.hpp>
#include <attune/search/two_level/two_level_search.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "../support/pin.hpp"
#include "contest.hpp"
#include "program_arguments.hpp"
#include "program_fields.hpp"
#include "program_graphs.hpp"
#include "program_layers.hpp"
#include "program_rivals.hpp"
#include "program_totals.hpp"
#include "program_tuning.hpp"
#include "program_variants.hpp"
#include "rival_process.hpp"

namespace {

struct arguments {
    std::vector<std::string> layers{};
    bench::program_search search{};
    std::string samples{};
    bool two_level = false;
    std::string libraries{};
    std::string metaschedule{};
    std::string metaschedule_python = "python3";
    bool no_random = false;
    bool inputs = false;
    bool weights = false;
    bool help = false;
};

template <class Layer>
std::optional<bench::product_shape> product_of()
{
    if constexpr (Layer::name == "matmul_512") return {{1, 512, 512, 512}};
    if constexpr (Layer::name == "matmul_1024") return {{1, 1024, 1024, 1024}};
    if constexpr (Layer::name == "batched_matmul") return {{12, 128, 128, 64}};
    if constexpr (Layer::name == "conv_1x1") return {{1, 14 * 14, 1024, 256}};
    return {};
}

/// A library that computes something else is no rival.
void require_equal(std::string const& who, std::span<float const> is, std::span<float const> should)
{
    for (std::size_t at = 0; at < is.size(); ++at)
        if (!(std::fabs(is[at] - should[at]) <= 1e-3f * (1 + std::fabs(should[at]))))
            throw std::runtime_error(who + " gives " + std::to_string(is[at]) + " for " +
                                     std::to_string(should[at]));
}

/// Products of libraries in this process, which must give what the layer gives.
template <class Layer, class Arguments>
std::vector<bench::contestant> checked_products(Arguments& ours, Arguments& theirs)
{
    auto const shape = product_of<Layer>();
    if (!shape) return {};
    std::vector<bench::contestant> out = bench::product_libraries(
        *shape, theirs.array(0).data(), theirs.array(1).data(), theirs.result().data());
    for (bench::contestant const& one : out) {
        (void)one.seconds(1);
        require_equal(one.label, theirs.result(), ours.result());
    }
    return out;
}

/// A search that begins with what is known of other layers.
bench::program_search with_samples(arguments const& asked)
{
    bench::program_search how = asked.search;
    how.samples = asked.samples;
    if (!asked.two_level) return how;
    attune::two_level_options levels;
    levels.batch = 8;
    levels.within_constraints = true;
    how.strategy = attune::search_with<attune::two_level_search>(levels);
    return how;
}

template <class Layer>
void run(arguments const& asked, bench::rival_process const& libraries,
         bench::rival_process const& metaschedule, bench::program_totals& sums)
{
    std::string const name(Layer::name);
    auto const kernel = Layer::program.kernel();
    using signature = typename decltype(Layer::program)::signature;
    bench::program_arguments<signature> data(Layer::program.describe(), Layer::inputs);
    auto const tuning = bench::tune_program(kernel, data, asked.search);
    attune::tuning_report const& report = tuning.report;

    bench::own_configurations<signature> own(kernel, data, tuning);
    std::size_t const at_default = own.add(report.default_configuration);
    std::size_t const at8 = own.add(tuning.best8);
    std::size_t const at16 = own.add(tuning.best16);
    std::optional<std::size_t> model8;
    std::optional<std::size_t> model60;
    if (!asked.samples.empty()) {
        auto const model = bench::tune_program(kernel, data, with_samples(asked));
        sums.model_seconds += model.report.elapsed_s;
        sums.model_think_s += model.report.search_s;
        model8 = own.add(model.best8);
        model60 = own.add(model.report.configuration);
    }
    std::optional<std::size_t> random16;
    std::optional<std::size_t> random60;
    if (!asked.no_random) {
        bench::program_search how = asked.search;
        how.strategy = attune::search_with<attune::random_searcher>();
        auto const random = bench::tune_program(kernel, data, how);
        random16 = own.add(random.best16);
        random60 = own.add(random.report.configuration);
    }
    std::vector<bench::contestant> all = own.contestants();
    std::size_t const first_library = all.size();
    auto const take = [&](std::vector<bench::contestant> const& more) {
        all.insert(all.end(), more.begin(), more.end());
        return all.size();
    };
    data.call(*tuning.code);
    auto library_data = data;
    take(checked_products<Layer>(data, library_data));
    std::size_t const first_metaschedule = take(libraries.of(name));
    take(metaschedule.of(name));

    std::vector<double> const s = bench::contest(all);
    double const ours = s[0];
    std::printf("program %s gflops=%.1f best_ms=%.4f vs_default=%.2f evaluations=%u seconds=%.1f "
                "compile_s=%.1f think_s=%.2f",
                name.c_str(), Layer::flops / ours * 1e-9, ours * 1e3, s[at_default] / ours,
                report.evaluations, report.elapsed_s, report.compile_s, report.search_s);
    auto const print = [&](char const* field, std::optional<std::size_t> place, bool is_over_ours,
                           bench::program_ratios& sum) {
        if (!place) {
            std::printf(" %s=na", field);
            return;
        }
        double const ratio = is_over_ours ? s[*place] / ours : ours / s[*place];
        std::printf(" %s=%.3f", field, ratio);
        sum.add(ratio, Layer::is_dense);
    };
    std::optional<std::size_t> library;
    for (std::size_t at = first_library; at < first_metaschedule; ++at)
        if (!library || s[at] < s[*library]) library = at;
    print("vs_library", library, true, sums.vs_library);
    std::printf(" library=%s", library ? all[*library].label.c_str() : "none");
    print("at8", at8, false, sums.at8);
    print("at16", at16, false, sums.at16);
    if (model8) {
        double const ratio = std::min(ours, s[*model60]) / s[*model8];
        std::printf(" at8_model=%.3f", ratio);
        sums.at8_model.add(ratio, Layer::is_dense);
        print("at60_model", model60, false, sums.at60_model);
    }
    print("random_at16", random16, false, sums.random_at16);
    print("random_at60", random60, false, sums.random_at60);
    if (first_metaschedule < all.size()) {
        print("vs_metaschedule", first_metaschedule, true, sums.vs_metaschedule);
        print("vs_metaschedule60", all.size() - 1, true, sums.vs_metaschedule60);
        std::printf(" metaschedule=%s", all[first_metaschedule].label.c_str());
    }
    std::printf("\n");
    for (std::size_t at = first_library; at < all.size(); ++at)
        std::printf("rival %s name=%s ms=%.4f\n", name.c_str(), all[at].label.c_str(), s[at] * 1e3);
    std::printf("configuration %s %s\n", name.c_str(), report.configuration.c_str());
    sums.vs_clang.add(bench::print_variant_cost(name, kernel), Layer::is_dense);
    std::fflush(stdout);
    sums.seconds += report.elapsed_s;
    sums.think_s += report.search_s;
}

template <class Constants, class Inputs>
void compare_inputs(arguments const& asked)
{
    if (!asked.inputs || !(asked.layers.empty() ||
                           std::count(asked.layers.begin(), asked.layers.end(), Constants::name)))
        return;
    auto const tune = [&]<class Layer>(auto& data) {
        return bench::tune_program(Layer::program.kernel(), data, asked.search);
    };
    bench::program_arguments<typename decltype(Constants::program)::signature> with_constants(
        Constants::program.describe(), Constants::inputs);
    bench::program_arguments<typename decltype(Inputs::program)::signature> with_inputs(
        Inputs::program.describe(), Inputs::inputs);
    auto const constants = tune.template operator()<Constants>(with_constants);
    auto const inputs = tune.template operator()<Inputs>(with_inputs);
    std::vector<double> const s =
        bench::contest({bench::here("constants", [&] { with_constants.call(*constants.code); }),
                        bench::here("inputs", [&] { with_inputs.call(*inputs.code); })});
    std::printf(
        "inputs_vs_constants %s constants_ms=%.4f inputs_ms=%.4f inputs_vs_constants=%.3f\n",
        std::string(Constants::name).c_str(), s[0] * 1e3, s[1] * 1e3, s[0] / s[1]);
    std::fflush(stdout);
}

/// A layer and the same with constant weights, each tuned, then timed in turns.
template <class Arrays, class Weights>
void compare_weights(arguments const& asked)
{
    if (!asked.layers.empty() &&
        std::count(asked.layers.begin(), asked.layers.end(), Arrays::name) == 0)
        return;
    auto const data_of = []<class Layer>() {
        return bench::program_arguments<typename decltype(Layer::program)::signature>(
            Layer::program.describe(), Layer::inputs);
    };
    auto of_arrays = data_of.template operator()<Arrays>();
    auto of_weights = data_of.template operator()<Weights>();
    auto const arrays = bench::tune_program(Arrays::program.kernel(), of_arrays, asked.search);
    auto const weights = bench::tune_program(Weights::program.kernel(), of_weights, asked.search);
    of_arrays.call(*arrays.code);
    of_weights.call(*weights.code);
    require_equal("the layer with constant weights", of_weights.result(), of_arrays.result());
    std::vector<double> const s =
        bench::contest({bench::here("arrays", [&] { of_arrays.call(*arrays.code); }),
                        bench::here("weights", [&] { of_weights.call(*weights.code); })});
    std::printf("weights %s arrays_ms=%.4f weights_ms=%.4f gflops=%.1f weights_vs_arrays=%.3f\n",
                std::string(Arrays::name).c_str(), s[0] * 1e3, s[1] * 1e3,
                Arrays::flops / s[1] * 1e-9, s[0] / s[1]);
    std::printf("  arrays  %s\n  weights %s\n", arrays.report.configuration.c_str(),
                weights.report.configuration.c_str());
    std::fflush(stdout);
}

int run_all(arguments const& asked)
{
    using namespace bench::layers;
    bench::pin_to_one_core();
    std::string const scripts = ATTUNE_BENCH_SCRIPTS "/";
    bench::rival_process libraries;
    bench::rival_process metaschedule;
    if (!asked.libraries.empty())
        libraries = bench::rival_process({asked.libraries, scripts + "program_libraries.py"});
    if (!asked.metaschedule.empty())
        metaschedule = bench::rival_process(
            {asked.metaschedule_python, scripts + "metaschedule.py", "serve", asked.metaschedule});
    bench::program_totals sums;
    if (asked.weights) {
        for_each_weights([&]<class Pair> {
            compare_weights<typename Pair::arrays, typename Pair::weights>(asked);
        });
        return 0;
    }
    for_each_layer([&]<class Layer> {
        if (asked.layers.empty() ||
            std::count(asked.layers.begin(), asked.layers.end(), Layer::name) != 0)
            run<Layer>(asked, libraries, metaschedule, sums);
    });
    compare_inputs<matmul_512, matmul_of_inputs<"matmul_512_of_inputs", 512>>(asked);
    compare_inputs<matmul_1024, matmul_of_inputs<"matmul_1024_of_inputs", 1024>>(asked);
    compare_inputs<conv_56, conv_56_of_inputs>(asked);
    bench::program_ratios vs_eigen;
    bench::program_ratios vs_plain;
    for_each_graph([&]<class Layer> {
        if (asked.layers.empty() ||
            std::count(asked.layers.begin(), asked.layers.end(), Layer::name) != 0)
            bench::run_graph<Layer>(asked.search, vs_eigen, vs_plain);
    });
    std::printf("total_graphs");
    vs_eigen.print("vs_eigen");
    vs_plain.print("vs_plain");
    std::printf("\ntotal");
    sums.vs_library.print("vs_library");
    sums.vs_metaschedule.print("vs_metaschedule");
    sums.vs_metaschedule60.print("vs_metaschedule60");
    sums.at8.print("at8");
    sums.at8_model.print("at8_model");
    sums.at60_model.print("at60_model");
    sums.at16.print("at16");
    sums.random_at16.print("random_at16");
    sums.random_at60.print("random_at60");
    sums.vs_clang.print("vs_clang");
    if (sums.model_seconds > 0)
        std::printf(" think_share_model=%.3f", sums.model_think_s / sums.model_seconds);
    std::printf(" seconds=%.1f think_share=%.3f\n", sums.seconds,
                sums.seconds > 0 ? sums.think_s / sums.seconds : 0);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"LAYER", &asked.layers},
                               {"--evaluations", &asked.search.evaluations, 1},
                               {"--seconds", &asked.search.seconds, 1},
                               {"--seed", &asked.search.seed},
                               {"--no-random", &asked.no_random},
                               {"--inputs", &asked.inputs},
                               {"--weights", &asked.weights},
                               {"--samples", &asked.samples},
                               {"--two-level", &asked.two_level},
                               {"--libraries", &asked.libraries},
                               {"--metaschedule", &asked.metaschedule},
                               {"--metaschedule-python", &asked.metaschedule_python},
                               {"--help", &asked.help}});
        std::vector<std::string> known;
        bench::layers::for_each_layer([&]<class Layer> { known.emplace_back(Layer::name); });
        bench::layers::for_each_weights(
            [&]<class Pair> { known.emplace_back(Pair::arrays::name); });
        bench::layers::for_each_graph([&]<class Layer> { known.emplace_back(Layer::name); });
        for (std::string const& layer : asked.layers)
            bench::require_known("LAYER", layer, known);
        if (asked.two_level && asked.samples.empty())
            throw std::runtime_error("--two-level needs --samples FILE");
        if (asked.help) {
            std::fputs(bench::program_fields, stdout);
            return 0;
        }
        return run_all(asked);
    });
}
