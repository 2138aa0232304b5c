// attune/search/bayes/model/model_choice.hpp - the models that a Bayesian search may use, made by name.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.2 and 4.2; Willemsen et al. 2021 Sec. III-C. The beliefs of the default are
//          ours: distances are in [0, 1] and values standardised, so that a length scale of 0.6
//          says "smooth, but not a line", whatever the space. A derived feature repeats what
//          parameters say already and is only worth its place if it explains more: it is believed
//          to matter little (length scale 1.5) until the data ask for it. Over four kernels on
//          eight devices 0.6, as for parameters, costs 0.013 of the optimum at 20 evaluations and 4
//          costs 0.009 at 40 (both +-0.007): a choice made with all of them in view.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/model/candidate_model.hpp>
#include <attune/search/bayes/model/forest_model.hpp>

#include <memory>

namespace attune::inline ATTUNE_ABI {

/// The default surrogate's process.
[[nodiscard]] inline gp::process_options objective_process()
{
    gp::process_options out;
    out.kernel.form = gp::kernel_form::product;
    out.belief.derived_length_median = 1.5;
    return out;
}

/// The process that regresses labels: failures have sharp borders, so length scales are a little
/// shorter, and a label is never noise-free. Few steps, since only its sign is asked for.
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

[[nodiscard]] inline std::unique_ptr<candidate_model>
make_objective_model(feature_map const& features, surrogate_model which)
{
    gp::process_options options = objective_process();
    switch (which) {
    case surrogate_model::product_process:
        break;
    case surrogate_model::radial_process:
        options.kernel.form = gp::kernel_form::radial;
        break;
    case surrogate_model::baco_process:
        options = gp::baco_process();
        break;
    case surrogate_model::fixed_process:
        options = gp::kernel_tuner_process();
        break;
    case surrogate_model::random_forest:
        return std::make_unique<forest_model>(features);
    }
    return std::make_unique<process_model>(features, options);
}

/// What learns feasibility_label().  @pre which is not `none`
[[nodiscard]] inline std::unique_ptr<candidate_model> make_label_model(feature_map const& features,
                                                                       feasibility_model which)
{
    if (which == feasibility_model::random_forest) {
        forest::options how;
        how.variance_floor = 0; // a leaf of failures only is sure
        return std::make_unique<forest_model>(features, how);
    }
    return std::make_unique<process_model>(features, label_process());
}

} // namespace attune::inline ATTUNE_ABI
