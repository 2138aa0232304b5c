// bench/tune/network_tuning.hpp - the layers of a network, tuned one by one or together.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/together.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "network_curve.hpp"
#include "network_run.hpp"
#include "program_arguments.hpp"
#include "program_tuning.hpp"

namespace bench {

/// What one way to tune made of a network.
struct network_tuning {
    network_curve curve{};
    std::size_t curve_layers = 1; ///< so many of the curve's trials are one of each layer
    double latency_s = 0;         ///< of the winners, by layers and their calls
    double elapsed_s = 0;
    double search_s = 0; ///< of this, the search chose
    std::uint64_t evaluations = 0;
};

/// Part of the trials of `other` after which the readings of `one` were as good as those of `other`
/// in the end.
[[nodiscard]] inline std::optional<double> trials_to_match(network_tuning const& one,
                                                           network_tuning const& other)
{
    std::optional<std::size_t> const trials =
        one.curve.trials_to(other.curve.after(other.curve.trials()));
    if (!trials) return {};
    return static_cast<double>(*trials) / static_cast<double>(one.curve_layers) /
           (static_cast<double>(other.curve.trials()) / static_cast<double>(other.curve_layers));
}

template <class Layer>
using layer_arguments = program_arguments<typename decltype(Layer::program)::signature>;

/// One layer by itself. @param arguments  of its calls
template <class Layer>
[[nodiscard]] std::shared_ptr<layer_code<Layer>>
tune_layer(int calls, attune::program_options const& options, layer_arguments<Layer>& arguments,
           program_search const& how, network_tuning& sums)
{
    auto made = tune_program(Layer::program.kernel(options), arguments, how);
    if (made.best_s.empty()) made.best_s.push_back(made.report.default_time.value);
    sums.curve.add(calls, std::move(made.best_s));
    sums.elapsed_s += made.report.elapsed_s;
    sums.search_s += made.report.search_s;
    sums.evaluations += made.report.evaluations;
    return std::move(made.code);
}

/// All layers on one budget: that of `each`, as often as there are layers.
template <class Network>
[[nodiscard]] network_tuning tune_layers_together(attune::program_options const& options,
                                                  program_search const& each,
                                                  network_codes<typename Network::layers>& codes)
{
    constexpr std::size_t layers = Network::layers::size;
    struct course {
        std::vector<double> best_s; ///< of the calls of each layer
        std::vector<double> after;  ///< of all, after each evaluation
    };
    auto const seen = std::make_shared<course>(); // sinks in `codes` outlive this call
    seen->best_s.assign(layers, std::numeric_limits<double>::infinity());
    std::vector<std::shared_ptr<void>> arrays; // live until the end
    std::vector<attune::tuning_share> shares;
    Network::layers::for_each([&]<class Layer>(Layer, int calls) {
        attune::tuning_options how;
        how.search.seed = each.seed;
        how.search.strategy = each.strategy;
        how.on_miss = attune::miss_policy::lookup_only; // the budget is that of all
        how.progress = [seen, at = shares.size(), calls](attune::progress const& p) {
            if (p.event != attune::progress_event::evaluated) return;
            if (p.has_best) seen->best_s[at] = calls * p.best_value;
            seen->after.push_back(std::accumulate(seen->best_s.begin(), seen->best_s.end(), 0.0));
        };
        auto const arguments = std::make_shared<layer_arguments<Layer>>(Layer::program.describe(),
                                                                        std::span<int const>{});
        arrays.push_back(arguments);
        auto& code = codes.template of<Layer>();
        code = std::make_shared<layer_code<Layer>>(Layer::program.kernel(options), fresh_compiler(),
                                                   how);
        arguments->call(
            [&](auto const&... of) { shares.push_back(attune::share(*code, of...).calls(calls)); });
    });
    attune::together_report const report = attune::tune_together(
        {.evaluations = std::uint64_t{layers} * each.evaluations,
         .seconds = static_cast<double>(layers) * static_cast<double>(each.seconds)},
        shares);
    network_tuning out{
        .curve_layers = layers, .elapsed_s = report.elapsed_s, .evaluations = report.evaluations};
    if (seen->after.empty()) seen->after.push_back(report.best_s);
    out.curve.add(1, seen->after);
    for (attune::share_report const& share : report.shares)
        out.search_s += share.report.search_s;
    return out;
}

} // namespace bench
