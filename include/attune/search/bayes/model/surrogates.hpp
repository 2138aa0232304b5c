// attune/search/bayes/model/surrogates.hpp - the surrogates of a Bayesian search.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.2 and 4.2; Willemsen et al. 2021 Sec. III-C. The default's priors are ours:
//          distances are in [0, 1] and values standardised, so that a length scale of 0.6 means a
//          smooth but not linear function in any space. A derived feature repeats information of
//          the parameters, so its prior assumes little effect (length scale 1.5). Over four kernels
//          on eight devices 0.6, as for parameters, costs 0.013 of the optimum at 20 evaluations
//          and 4 costs 0.009 at 40 (both +-0.007): a choice made with all of these in view.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/feasibility.hpp>
#include <attune/search/bayes/model/process_model.hpp>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The default surrogate's process: a product of Matern-5/2 factors with a shared base.
[[nodiscard]] inline gp::process_options objective_process()
{
    gp::process_options out;
    out.kernel.form = gp::kernel_form::product;
    out.belief.derived_length_median = 1.5;
    return out;
}

/// The same beliefs with Matern-5/2 of the weighted distance (BaCO eq. 1-2).
[[nodiscard]] inline gp::process_options radial_objective_process()
{
    gp::process_options out = objective_process();
    out.kernel.form = gp::kernel_form::radial;
    return out;
}

/// Kernel Tuner's: Matern-3/2, one fixed length scale, nothing is fitted.
[[nodiscard]] inline gp::process_options fixed_objective_process()
{
    return gp::kernel_tuner_process();
}

/// The process that regresses labels: failures have sharp borders, so length scales are slightly
/// shorter, and a label always has noise. Few steps, because only its sign matters.
[[nodiscard]] inline gp::process_options label_process()
{
    gp::process_options out;
    out.kernel.form = gp::kernel_form::radial;
    out.belief.length_median = 0.5;
    out.belief.derived_length_median = 0.5;
    out.belief.noise_median = 1e-2;
    out.iterations = 12;
    out.restart_from_prior = false;
    return out;
}

} // namespace detail

using product_surrogate = detail::process_surrogate<detail::objective_process>; ///< the default
using radial_surrogate = detail::process_surrogate<detail::radial_objective_process>;
using baco_surrogate =
    detail::process_surrogate<detail::gp::baco_process>; ///< BaCO's gamma densities on lengths
using fixed_surrogate = detail::process_surrogate<detail::fixed_objective_process>;

using gaussian_feasibility =
    label_regression<detail::process_surrogate<detail::label_process>>; ///< the default

} // namespace attune::inline ATTUNE_ABI
