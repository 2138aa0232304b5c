// attune/search/bayes/basic_bayesian.hpp - a Bayesian search made of replaceable parts.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3 (Gaussian process, noise-free expected improvement) and Sec. 4.2 (hidden
//          constraints); Gardner et al. 2014 (bounds on measured quantities); Hvarfner et al. 2022
//          (user priors); Ginsbourger et al. 2010 (constant liar); parts as template arguments:
//          Limbo (Cully et al. 2018)
// Bench    bench/search/ablation.cpp
//
// Includes Eigen; bayesian_searcher does not.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/model/search_parts.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/start/initial_design.hpp>
#include <attune/search/bayes/surrogate.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI {

/// Bayesian optimisation, minimising; bayesian_searcher documents points and outcomes.
///
/// Climbs to better neighbours, and the estimated gain, always use expected improvement.
///
/// @tparam Surrogate    learns the objective: product_surrogate and others in model/surrogates.hpp
/// @tparam Feasibility  learns where points fail: gaussian_feasibility, forest_feasibility,
///                      no_feasibility
/// @tparam Acquisition  scores the candidates: expected_improvement_rule, ...,
///                      contextual<Rule>, multi_policy, advanced_multi_policy
/// @tparam Design       gives the first points: spread_design, uniform_design, child_wise_design,
///                      latin_hypercube_design
///
/// Example   options.search =
///               attune::search_with<attune::basic_bayesian_searcher<my_surrogate>>();
template <class Surrogate = product_surrogate, class Feasibility = gaussian_feasibility,
          class Acquisition = expected_improvement_rule, class Design = spread_design>
class basic_bayesian_searcher : public detail::bayesian_loop {
    static_assert(surrogate<Surrogate>,
                  "attune::basic_bayesian_searcher<Surrogate, ...>: 'Surrogate' is not a "
                  "surrogate; it needs a constructor from feature_map const&, learn(points, "
                  "values, variance, engine) and predict(points, mean, variance) const");
    static_assert(std::same_as<Feasibility, no_feasibility> || feasibility<Feasibility>,
                  "attune::basic_bayesian_searcher<..., Feasibility, ...>: 'Feasibility' is not a "
                  "feasibility; it needs surrogate_type, label(bool) and chance(mean, variance), "
                  "or use no_feasibility");
    static_assert(
        acquisition<Acquisition>,
        "attune::basic_bayesian_searcher<..., Acquisition, ...>: 'Acquisition' is not an "
        "acquisition; it needs score(mean, variance, best) const -> double and a copy constructor");
    static_assert(design<Design>,
                  "attune::basic_bayesian_searcher<..., Design>: 'Design' is not a design; it "
                  "needs a constructor from (chain_of_trees const&, design_options, "
                  "random_engine&) and next(unseen, worked, pending, engine) -> optional<point>");

public:
    explicit basic_bayesian_searcher(chain_of_trees space, std::uint64_t seed = 0,
                                     bayesian_options const& options = {},
                                     Acquisition acquire = Acquisition(),
                                     surrogate_settings<Surrogate> settings = {})
        : bayesian_loop(std::move(space), seed, options,
                        std::make_unique<
                            detail::search_parts_of<Surrogate, Feasibility, Acquisition, Design>>(
                            std::move(acquire), std::move(settings)))
    {
    }
};

} // namespace attune::inline ATTUNE_ABI
