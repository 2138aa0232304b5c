// attune/search/published/kernel_tuner_bo.ipp - Kernel Tuner's options as parts of a Bayesian search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/acquisition/acquisition_policy.hpp>
#include <attune/search/bayes/acquisition/contextual.hpp>
#include <attune/search/bayes/basic_bayesian.hpp>
#include <attune/search/published/kernel_tuner_bo.hpp>

#include <limits>
#include <variant>

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
