// attune/search/bayes/gp/detail/process_state.hpp - the data of a process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/gp/blocks.hpp>
#include <attune/search/bayes/gp/conditional.hpp>
#include <attune/search/bayes/gp/process.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

inline std::vector<char> derived_features(attune::feature_map const& features)
{
    std::vector<char> out(features.count());
    for (std::size_t f = 0; f < out.size(); ++f)
        out[f] = features.is_derived(f) ? 1 : 0;
    return out;
}

/// Means from the sums, standardised with `shift` and `scale` instead of those of `given`.
inline void mean_of(projection_sums const& sums, conditional const& given, double shift,
                    double scale, Eigen::ArrayXd& mean)
{
    mean = (given.scale() / scale) * sums.values + ((given.shift() - shift) / scale) * sums.ones;
}

struct process::state {
    state(attune::feature_map map, process_options const& o)
        : features(std::move(map))
        , options(o)
        , prior(o.belief, derived_features(features))
        , hyper(prior.mode())
        , given(features, o.kernel)
    {
        if (!o.fixed_length) return;
        hyper.theta.head(prior.features()).setConstant(std::log(*o.fixed_length));
        hyper.theta[prior.features()] = 0;
        hyper.theta[prior.features() + 1] = std::log(o.fixed_noise);
    }

    attune::feature_map features;
    process_options options;
    hyper_density prior;
    hyperparameter_vector hyper;
    bool fitted = false;
    double shift = 0;
    double scale = 1;
    conditional given;
};

} // namespace attune::inline ATTUNE_ABI::detail::gp
