// bench/search/studies.hpp - the ablations of two papers: published searches without some of their parts.
// SPDX-License-Identifier: MIT
// Source   Hellsten et al., "BaCO", ASPLOS 2023, Fig. 8 to 10; Willemsen et al. 2021, Sec. III and
//          IV-B
#pragma once

#include <attune/search/published/other_tools.hpp>
#include <attune/search/searcher.hpp>

#include <string>
#include <vector>

#include "strategies.hpp"

namespace bench {

/// Variants that are compared with the first.
struct study {
    std::string name;
    std::vector<strategy> variants;
};

namespace detail {

template <class Change>
[[nodiscard]] attune::search_factory baco_but(Change const& change)
{
    attune::published::baco_options o;
    change(o);
    return attune::published::baco(o);
}

template <class Change>
[[nodiscard]] attune::search_factory kernel_tuner_but(Change const& change)
{
    attune::published::kernel_tuner_options o;
    change(o);
    return attune::published::kernel_tuner_bo(o);
}

} // namespace detail

[[nodiscard]] inline std::vector<study> studies()
{
    using b = attune::published::baco_options&;
    using k = attune::published::kernel_tuner_options&;
    using af = attune::published::kernel_tuner_options::acquisition;
    using detail::baco_but;
    using detail::kernel_tuner_but;
    strategy const baco{"baco", attune::published::baco()};
    return {
        {"figure_8",
         {baco,
          {"baco_minus_minus", attune::published::baco_minus_minus()},
          {"random_forest", baco_but([](b o) {
               o.model = attune::published::baco_options::surrogate::random_forest;
           })}}},
        {"figure_9",
         {baco,
          {"kendall", baco_but([](b o) { o.orders = attune::order_distance::kendall; })},
          {"hamming", baco_but([](b o) { o.orders = attune::order_distance::hamming; })},
          {"naive", baco_but([](b o) { o.orders = attune::order_distance::naive; })},
          {"no_logarithms", baco_but([](b o) { o.log_values = o.log_inputs = false; })},
          {"no_priors", baco_but([](b o) { o.priors = false; })}}},
        {"figure_10",
         {baco,
          {"no_feasibility", baco_but([](b o) { o.feasibility = false; })},
          {"no_feasibility_limit", baco_but([](b o) { o.feasibility_limit = false; })}}},
        {"kernel_tuner",
         {{"advanced_multi", attune::published::kernel_tuner_bo()},
          {"multi", kernel_tuner_but([](k o) { o.choose = af::multi; })},
          {"expected_improvement",
           kernel_tuner_but([](k o) { o.choose = af::expected_improvement; })},
          {"probability_of_improvement",
           kernel_tuner_but([](k o) { o.choose = af::probability_of_improvement; })},
          {"lower_confidence_bound",
           kernel_tuner_but([](k o) { o.choose = af::lower_confidence_bound; })},
          {"constant_exploration", kernel_tuner_but([](k o) { o.exploration = 0.01; })},
          {"exploration_in_deviations",
           kernel_tuner_but([](k o) { o.exploration_in_values = false; })},
          {"matern52", kernel_tuner_but([](k o) {
               o.kernel = attune::published::kernel_tuner_options::covariance::matern52;
           })},
          {"uniform_start", kernel_tuner_but([](k o) { o.latin_hypercube = false; })}}},
    };
}

} // namespace bench
