// attune/search/published/baco.ipp - BaCO's options as parts of a Bayesian search; biased draws.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/basic_bayesian.hpp>
#include <attune/search/bayes/model/forest_model.hpp>
#include <attune/search/bayes/start/initial_design.hpp>
#include <attune/search/published/baco.hpp>

#include <limits>
#include <utility>

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
