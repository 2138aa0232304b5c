// bench/search/ablation.cpp - what each part of the Bayesian search is worth.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.ablation [--data DIR] [--spaces PART[,PART...]] [--repeats 8]
//          [--budget 100] [--seed 0] [--variant NAME[,NAME...]] [--study NAME]
//          DIR: recorded files, as for bench.search.replay; without it only the synthetic kernel;
//          --study: instead of the default search's, the variants of figure_8, figure_9 or
//          figure_10 of BaCO's paper (there 30 repetitions of 60 evaluations) or of Kernel Tuner's
//          (kernel_tuner: 35 of 220), of which --variant names some; see studies.hpp
// Prints   a line per space and variant: the mean over runs of best possible / best found after 20,
//          40, 60 and 100 evaluations, na beyond the budget, failures, share of evaluations after
//          the 40th that fail, processor milliseconds per suggestion; at the end the means over
//          recorded spaces
// Note     a variant is the default but for what its name says. All variants have the same seeds.
//          The synthetic kernel (permuted_loops.hpp) has an order of loops, hidden failures and a
//          known optimum; there metrics of orders and a user's priors are compared as well.
// Exit     2 when a file or an argument is wrong
#include <attune/search/bayes/acquisition/acquisition_policy.hpp>
#include <attune/search/bayes/basic_bayesian.hpp>
#include <attune/search/bayes/model/forest_model.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/start/initial_design.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/searcher.hpp>

#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "../support/recorded.hpp"
#include "permuted_loops.hpp"
#include "replay_run.hpp"
#include "strategies.hpp"
#include "studies.hpp"

namespace {

struct arguments {
    std::string data;
    std::string spaces;
    std::string variants;
    std::string study;
    std::size_t repeats = 8;
    std::size_t budget = 100;
    std::uint64_t seed = 0;
};

using variant = bench::strategy;

/// The default with other numbers.
template <class Change>
[[nodiscard]] attune::search_factory options(Change const& change)
{
    attune::bayesian_options out;
    change(out);
    return attune::search_with<attune::bayesian_searcher>(out);
}
/// The default with another part.
template <class Part>
[[nodiscard]] attune::search_factory surrogate()
{
    return attune::search_with<attune::basic_bayesian_searcher<Part>>();
}
template <class Part>
[[nodiscard]] attune::search_factory feasibility(attune::bayesian_options const& o = {})
{
    using namespace attune;
    return search_with<basic_bayesian_searcher<product_surrogate, Part>>(o);
}
template <class Part>
[[nodiscard]] attune::search_factory acquisition(Part const& part = Part())
{
    using namespace attune;
    return search_with<basic_bayesian_searcher<product_surrogate, gaussian_feasibility, Part>>(
        bayesian_options{}, part);
}
template <class Part>
[[nodiscard]] attune::search_factory design()
{
    using namespace attune;
    return search_with<basic_bayesian_searcher<product_surrogate, gaussian_feasibility,
                                               expected_improvement_rule, Part>>();
}

[[nodiscard]] std::vector<variant> all_variants()
{
    using namespace attune;
    using o = bayesian_options&;
    bayesian_options all_failures_allowed;
    all_failures_allowed.failure_share = 1;
    return {
        {"default", search_with<bayesian_searcher>()},
        {"no_logarithm", options([](o it) { it.objective.logarithm = false; })},
        {"no_bend",
         options([](o it) { it.objective.bend_spans = std::numeric_limits<double>::infinity(); })},
        {"no_derived_features",
         options([](o it) { it.features.from_constraints = it.features.from_alignment = false; })},
        {"no_alignment", options([](o it) { it.features.from_alignment = false; })},
        {"radial_process", surrogate<radial_surrogate>()},
        {"baco_process", surrogate<baco_surrogate>()},
        {"fixed_process", surrogate<fixed_surrogate>()},
        {"random_forest", surrogate<forest_surrogate>()},
        {"feasibility_forest", feasibility<forest_feasibility>()},
        {"no_feasibility", feasibility<no_feasibility>(all_failures_allowed)},
        {"no_feasibility_limit", options([](o it) { it.feasibility_limit = false; })},
        {"no_failure_share", options([](o it) { it.failure_share = 1; })},
        {"child_wise_start", design<child_wise_design>()},
        {"uniform_start", design<uniform_design>()},
        {"ten_initial", options([](o it) { it.initial_samples = 10; })},
        {"sampled_pool", options([](o it) { it.max_pool = 0; })},
        {"probability_of_improvement", acquisition<probability_of_improvement_rule>()},
        {"lower_confidence_bound", acquisition<confidence_bound_rule>({.exploration = 1.5})},
        {"contextual_variance", acquisition<contextual<expected_improvement_rule>>()},
        {"multi", acquisition<multi_policy>()},
        {"advanced_multi", acquisition<advanced_multi_policy>()},
        {"memory_50", options([](o it) { it.memory_limit = 50; })},
    };
}

/// The variants of the study named, or of the default search.
[[nodiscard]] std::vector<variant> compared(arguments const& given)
{
    for (bench::study const& s : bench::studies())
        if (s.name == given.study) return s.variants;
    return all_variants();
}

/// Of the synthetic kernel only: how far apart two orders are, ...
constexpr std::pair<char const*, attune::order_distance> metrics[] = {
    {"metric_kendall", attune::order_distance::kendall},
    {"metric_hamming", attune::order_distance::hamming},
    {"metric_naive", attune::order_distance::naive}};
/// ... and by what factor a user is wrong about the best value.
constexpr std::pair<char const*, double> priors[] = {{"good_prior", 1.0}, {"bad_prior", 16.0}};

void print(std::string const& space, std::string const& name, bench::replay_summary const& m)
{
    std::printf("ablation space=%s variant=%s frac20=%s frac40=%s frac60=%s frac100=%s "
                "failures=%.1f failures_after_40=%.3f cpu_ms_per_suggestion=%.3f\n",
                space.c_str(), name.c_str(), bench::fraction_text(m.frac_20).c_str(),
                bench::fraction_text(m.frac_40).c_str(), bench::fraction_text(m.frac_60).c_str(),
                bench::fraction_text(m.frac_100).c_str(), m.failures, m.failures_after_40,
                m.cpu_ms_per_suggestion);
    std::fflush(stdout);
}

using of_run = std::function<bench::evaluator(std::size_t run)>;

[[nodiscard]] bench::replay_summary measure(attune::chain_of_trees const& space,
                                            of_run const& evaluator_of, double best,
                                            variant const& v, arguments const& given)
{
    std::vector<bench::replay_curve> curves;
    for (std::size_t r = 0; r < given.repeats; ++r)
        curves.push_back(
            bench::replay(space, evaluator_of(r), v.make, given.budget, given.seed + r));
    return bench::summarise(curves, best, given.budget);
}

void recorded(arguments const& given)
{
    std::map<std::string, std::vector<bench::replay_summary>> by_variant;
    for (std::string const& path : bench::recorded_paths(given.data)) {
        if (!bench::has_part(path.substr(path.find_last_of('/') + 1), given.spaces)) continue;
        std::vector<std::string> notes;
        std::optional<bench::recording> const read = bench::read_recording(path, notes);
        if (!read) continue;
        bench::recording const& from = *read;
        bench::evaluator const look_up = [&](attune::point const& p) { return from.at(p); };
        for (variant const& v : compared(given)) {
            if (!bench::is_in(given.variants, v.name)) continue;
            bench::replay_summary const m =
                measure(from.space, [&](std::size_t) { return look_up; }, from.best_ms, v, given);
            print(from.name, v.name, m);
            by_variant[v.name].push_back(m);
        }
    }
    for (variant const& v : compared(given)) {
        bench::replay_summary mean;
        std::vector<bench::replay_summary> const& all = by_variant[v.name];
        for (bench::replay_summary const& m : all) {
            double const n = static_cast<double>(all.size());
            mean.frac_20 += m.frac_20 / n;
            mean.frac_40 += m.frac_40 / n;
            mean.frac_60 += m.frac_60 / n;
            mean.frac_100 += m.frac_100 / n;
            mean.failures += m.failures / n;
            mean.failures_after_40 += m.failures_after_40 / n;
            mean.cpu_ms_per_suggestion += m.cpu_ms_per_suggestion / n;
        }
        if (!all.empty()) print("mean", v.name, mean);
    }
}

void synthetic(arguments const& given)
{
    of_run const objective = [&](std::size_t r) { return bench::permuted_loops(given.seed + r); };
    attune::chain_of_trees const usual(
        bench::permuted_loops::space(attune::order_distance::spearman));
    for (variant const& v : compared(given))
        if (bench::is_in(given.variants, v.name))
            print("permuted_loops", v.name, measure(usual, objective, 1, v, given));
    if (!given.study.empty()) return;
    for (auto const& [name, metric] : metrics) {
        if (!bench::is_in(given.variants, name)) continue;
        attune::chain_of_trees const space(bench::permuted_loops::space(metric));
        print("permuted_loops", name,
              measure(space, objective, 1, {name, attune::search_with<attune::bayesian_searcher>()},
                      given));
    }
    for (auto const& [name, factor] : priors) {
        if (!bench::is_in(given.variants, name)) continue;
        std::vector<bench::replay_curve> curves;
        for (std::size_t r = 0; r < given.repeats; ++r) {
            bench::permuted_loops const kernel(given.seed + r);
            attune::description believed =
                bench::permuted_loops::space(attune::order_distance::spearman);
            double const best = kernel.best_tx();
            believed.parameters[1].prior.centre =
                best * factor > 128 ? best / factor : best * factor;
            believed.parameters[1].prior.deviation = 0.7; // one doubling
            curves.push_back(bench::replay(attune::chain_of_trees(believed), kernel,
                                           attune::search_with<attune::bayesian_searcher>(),
                                           given.budget, given.seed + r));
        }
        print("permuted_loops", name, bench::summarise(curves, 1, given.budget));
    }
}

[[nodiscard]] arguments parse(int count, char** text)
{
    arguments out;
    bench::read_arguments(count, text,
                          {{"--data", &out.data},
                           {"--spaces", &out.spaces},
                           {"--variant", &out.variants},
                           {"--study", &out.study},
                           {"--repeats", &out.repeats, 1},
                           {"--budget", &out.budget, 1},
                           {"--seed", &out.seed}});
    std::vector<std::string> names;
    for (bench::study const& s : bench::studies())
        names.push_back(s.name);
    bench::require_known("--study", out.study, names);
    names.clear();
    for (variant const& v : compared(out))
        names.push_back(v.name);
    for (auto const& [name, metric] : metrics)
        names.emplace_back(name);
    for (auto const& [name, factor] : priors)
        names.emplace_back(name);
    bench::require_known("--variant", out.variants, names);
    return out;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments const given = parse(argc, argv);
        synthetic(given);
        if (!given.data.empty()) recorded(given);
        return 0;
    });
}
