// attune/search/published/other_tools.ipp - options of other tools as parts of a Bayesian search; techniques and their bandit.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/search/bayes/acquisition/acquisition_policy.hpp>
#include <attune/search/bayes/basic_bayesian.hpp>
#include <attune/search/bayes/design.hpp>
#include <attune/search/bayes/model/forest_model.hpp>
#include <attune/search/bayes/start/initial_design.hpp>
#include <attune/search/published/detail/opentuner_techniques.hpp>
#include <attune/search/published/other_tools.hpp>

#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE child_wise_searcher::child_wise_searcher(chain_of_trees space, std::uint64_t seed)
    : random_searcher(std::move(space), seed, child_wise_sampling::draw)
{
}

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// The options of BaCO that are numbers; other options are types.
[[nodiscard]] inline bayesian_options baco_numbers(published::baco_options const& from)
{
    bayesian_options out;
    out.initial_samples = out.initial_attempts = from.initial_samples;
    out.surrogate_sees_failures = false;
    out.feasibility_limit = from.feasibility && from.feasibility_limit;
    out.failure_share = 1;
    out.features.from_constraints = out.features.from_alignment = out.features.from_user = false;
    out.features.places = from.log_inputs ? value_places::logarithmic : value_places::linear;
    out.features.orders = from.orders;
    out.objective.logarithm = from.log_values;
    out.objective.bend_spans = std::numeric_limits<double>::infinity();
    out.max_pool = out.fresh = 30'000;
    out.around = 3;
    out.walks = 0;
    out.climbs = 10;
    out.climb_rounds = std::numeric_limits<int>::max();
    if (!from.local_search) out.around = out.climbs = 0;
    out.finish_every = 0;
    out.refit_after = 1;
    out.refit_growth = 0;
    out.memory_limit = std::numeric_limits<std::size_t>::max();
    out.warm_start.starts = 0;
    out.warm_start.believe_until = 0;
    out.believes_expectation = false;
    return out;
}

[[nodiscard]] inline gp::process_options baco_process_of(published::baco_options const& from)
{
    using density = gp::belief::density;
    gp::process_options out = gp::baco_process();
    out.belief.length = from.priors ? density::gamma : density::flat;
    // The program maximises over lengths. The density here is that of their logarithms, with one
    // more factor of the length.
    out.belief.length_shape = 1.3 - 1;
    out.belief.length_rate = 0.1;
    out.belief.rest = density::flat;
    out.always_draws = true;
    out.refined = 2;
    if (from.several_starts) return out;
    out.draws = 0;
    out.restart_from_prior = false;
    return out;
}

template <class Feasibility>
[[nodiscard]] search_factory baco_with(published::baco_options const& from)
{
    using rule = expected_improvement_rule;
    bayesian_options const numbers = baco_numbers(from);
    if (from.model == published::baco_options::surrogate::random_forest)
        return search_with<
            basic_bayesian_searcher<forest_surrogate, Feasibility, rule, uniform_design>>(numbers);
    return search_with<basic_bayesian_searcher<chosen_process, Feasibility, rule, uniform_design>>(
        numbers, rule{}, baco_process_of(from));
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI::published {

ATTUNE_INLINE search_factory baco(baco_options const& options)
{
    return options.feasibility ? detail::baco_with<forest_classification>(options)
                               : detail::baco_with<no_feasibility>(options);
}

ATTUNE_INLINE baco_options baco_minus_minus_options()
{
    baco_options out;
    out.orders = order_distance::naive;
    out.log_values = out.log_inputs = out.priors = false;
    out.several_starts = out.local_search = false;
    return out;
}

ATTUNE_INLINE search_factory baco_minus_minus() { return baco(baco_minus_minus_options()); }

} // namespace attune::inline ATTUNE_ABI::published

namespace attune::inline ATTUNE_ABI::detail {

/// The acquisition that kernel_tuner_options name.
class kernel_tuner_acquisition {
public:
    kernel_tuner_acquisition()
        : kernel_tuner_acquisition(published::kernel_tuner_options())
    {
    }
    explicit kernel_tuner_acquisition(published::kernel_tuner_options const& from)
        : chosen_(made(from))
    {
    }

    void prepare(scored_candidates const& candidates, search_progress const& so_far)
    {
        std::visit([&](auto& rule) { rule.prepare(candidates, so_far); }, chosen_);
    }
    [[nodiscard]] double score(double mean, double variance, double best) const
    {
        return std::visit([&](auto const& rule) { return rule.score(mean, variance, best); },
                          chosen_);
    }
    void chose(point const& p)
    {
        std::visit(
            [&](auto& rule) {
                if constexpr (requires { rule.chose(p); }) rule.chose(p);
            },
            chosen_);
    }
    void observe(point const& p, double value)
    {
        std::visit(
            [&](auto& rule) {
                if constexpr (requires { rule.observe(p, value); }) rule.observe(p, value);
            },
            chosen_);
    }

private:
    using improvement = contextual<expected_improvement_rule>;
    using probability = contextual<probability_of_improvement_rule>;
    using bound = contextual<confidence_bound_rule>;
    using alternating = acquisition_policy<multi_acquisition, improvement, probability, bound>;
    using judging = acquisition_policy<advanced_multi_acquisition, improvement, probability, bound>;
    using alternatives = std::variant<improvement, probability, bound, alternating, judging>;

    [[nodiscard]] static alternatives made(published::kernel_tuner_options const& from)
    {
        using name = published::kernel_tuner_options::acquisition;
        bool const in_values = from.exploration_in_values;
        improvement ei({}, from.exploration, in_values);
        probability pi({}, from.exploration, in_values);
        bound lcb({}, from.exploration); // a number of deviations
        switch (from.choose) {
        case name::expected_improvement:
            return ei;
        case name::probability_of_improvement:
            return pi;
        case name::lower_confidence_bound:
            return lcb;
        case name::multi:
            return alternating(multi_acquisition(3, from.skip_threshold, from.discount), ei, pi,
                               lcb);
        case name::advanced_multi:
            break;
        }
        return judging(advanced_multi_acquisition(
                           3, {from.skip_threshold, from.required_improvement, from.discount}),
                       ei, pi, lcb);
    }

    alternatives chosen_;
};

[[nodiscard]] inline bayesian_options
kernel_tuner_numbers(published::kernel_tuner_options const& from)
{
    bayesian_options out;
    out.initial_samples = from.initial_samples;
    out.initial_attempts = std::numeric_limits<std::size_t>::max();
    out.surrogate_sees_failures = false;
    out.feasibility_limit = false;
    out.failure_share = 1;
    out.features.from_constraints = out.features.from_alignment = out.features.from_user = false;
    out.features.places = value_places::ranked;
    out.objective.logarithm = false;
    out.objective.bend_spans = std::numeric_limits<double>::infinity();
    out.max_pool = 200'000;
    out.finish_every = 0;
    out.refit_after = 3;
    out.refit_growth = 0;
    out.memory_limit = std::numeric_limits<std::size_t>::max();
    out.warm_start.starts = 0;
    out.warm_start.believe_until = 0;
    out.believes_expectation = false;
    return out;
}

template <class Design>
[[nodiscard]] search_factory kernel_tuner_from(published::kernel_tuner_options const& from)
{
    bool const is_smooth = from.kernel == published::kernel_tuner_options::covariance::matern52;
    return search_with<
        basic_bayesian_searcher<chosen_process, no_feasibility, kernel_tuner_acquisition, Design>>(
        kernel_tuner_numbers(from), kernel_tuner_acquisition(from),
        is_smooth ? gp::kernel_tuner_process(0.75, gp::smoothness::matern52)
                  : gp::kernel_tuner_process(1.5));
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI::published {

ATTUNE_INLINE search_factory kernel_tuner_bo(kernel_tuner_options const& options)
{
    return options.latin_hypercube ? detail::kernel_tuner_from<latin_hypercube_design>(options)
                                   : detail::kernel_tuner_from<uniform_design>(options);
}

} // namespace attune::inline ATTUNE_ABI::published

namespace attune::inline ATTUNE_ABI::detail {

/// A technique whose proposals of known configurations count, at most `rounds` of them in a row.
template <class Begin>
[[nodiscard]] search::technique opentuner_named(std::string name, Begin begin, int rounds)
{
    return {std::move(name),
            [begin, rounds](chain_of_trees const& space, std::uint64_t seed) -> any_searcher {
                return opentuner_technique(space, seed, begin, rounds);
            }};
}

[[nodiscard]] inline std::vector<search::technique> opentuner_techniques()
{
    constexpr int once = 1;
    constexpr int most_known = 50; // of the simplex, before other techniques are asked
    return {
        opentuner_named("DifferentialEvolutionAlt", opentuner_evolution, once),
        opentuner_named(
            "UniformGreedyMutation", [](trials& t) { return opentuner_mutation(t, 0.1, false); },
            once),
        opentuner_named(
            "NormalGreedyMutation", [](trials& t) { return opentuner_mutation(t, 0.3, true); },
            once),
        opentuner_named("RandomNelderMead", opentuner_simplex, most_known),
    };
}

class opentuner_search {
public:
    opentuner_search(chain_of_trees const& space, std::uint64_t seed,
                     search::auc_bandit_options const& options)
        : bandit_(space, seed, opentuner_techniques(), options)
        , unseen_(space)
        , engine_(~seed)
    {
    }

    [[nodiscard]] std::vector<point> ask(std::size_t k)
    {
        std::vector<point> out;
        while (out.size() < k) {
            std::optional<point> p = next();
            if (!p) break;
            out.push_back(std::move(*p));
        }
        return out;
    }
    void tell(point const& p, outcome const& result)
    {
        unseen_.mark(p);
        bandit_.tell(p, result);
    }

private:
    [[nodiscard]] std::optional<point> next()
    {
        constexpr int most_asked = 50;
        for (int i = 0; i < most_asked; ++i)
            for (point& p : bandit_.ask(1))
                if (unseen_.mark(p)) return std::move(p);
        std::optional<point> p = unseen_.draw(engine_);
        if (p) unseen_.mark(*p);
        return p;
    }

    search::auc_bandit bandit_;
    unseen_points unseen_;
    random_engine engine_;
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI::published {

ATTUNE_INLINE search_factory opentuner_default(search::auc_bandit_options const& options)
{
    return search_with<detail::opentuner_search>(options);
}

} // namespace attune::inline ATTUNE_ABI::published
