// tests/search/bayes/bayesian_options.cpp : mirrors include/attune/search/bayes/bayesian_options.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/bayesian_options.hpp>

#include <attune/search/bayes/start/initial_design.hpp>
#include <attune/search/bayesian.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../../laws/searcher.hpp"

namespace {

std::size_t exhaust(attune::bayesian_options const& options)
{
    attune::bayesian_searcher s(search_spaces::constrained(), 1, options);
    return searcher_law::drive(s, 2, searcher_law::judge).size();
}

} // namespace

TEST_CASE("the start is spread unless another is asked for")
{
    CHECK(attune::bayesian_options{}.start == attune::start_sampling::spread);
}

TEST_CASE("every surrogate, feasibility model and acquisition rule searches a space to its end")
{
    using namespace attune;
    for (auto const surrogate : {surrogate_model::radial_process,
                                 surrogate_model::baco_process,
                                 surrogate_model::fixed_process,
                                 surrogate_model::random_forest})
        CHECK(exhaust({.surrogate = surrogate}) == 36);
    for (auto const model : {feasibility_model::random_forest, feasibility_model::none})
        CHECK(exhaust({.feasibility = model}) == 36);
    for (auto const rule : {acquisition_rule::probability_of_improvement,
                            acquisition_rule::lower_confidence_bound,
                            acquisition_rule::multi,
                            acquisition_rule::advanced_multi})
        CHECK(exhaust({.acquire = rule, .exploration = 0.1, .contextual = true}) == 36);
}

TEST_CASE("sampled candidates, little memory and hopeful lies search a space to its end")
{
    using namespace attune;
    for (auto const memory :
         {memory_policy::representative, memory_policy::recent, memory_policy::reset})
        CHECK(exhaust({.max_pool = 5,
                       .fresh = 10,
                       .pending = pending_value::expected,
                       .memory_limit = 14,
                       .memory = memory}) == 36);
    CHECK(exhaust({.initial_samples = 2, .start = start_sampling::child_wise}) == 36);
}
