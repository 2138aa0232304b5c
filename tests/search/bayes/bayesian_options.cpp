// tests/search/bayes/bayesian_options.cpp : mirrors include/attune/search/bayes/bayesian_options.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/bayesian_options.hpp>

#include <attune/search/bayesian.hpp>

#include <doctest/doctest.h>

#include "../../laws/searcher.hpp"

TEST_CASE("sampled candidates, little memory and hopeful lies search a space to its end")
{
    for (attune::memory_policy const memory :
         {attune::representative_memory, attune::recent_memory, attune::reset_memory}) {
        attune::bayesian_options const options{.max_pool = 5,
                                               .fresh = 10,
                                               .pending = attune::assume_expected,
                                               .memory_limit = 14,
                                               .memory = memory};
        attune::bayesian_searcher s(search_spaces::constrained(), 1, options);
        CHECK(searcher_law::drive(s, 2, searcher_law::judge).size() == 36);
    }
}

TEST_CASE("a lie about pending points is the best or the expected value")
{
    CHECK(attune::assume_best(-2, 1) == -2);
    CHECK(attune::assume_expected(-2, 1) == 1);
}
