// tests/search/bayes/bayesian_options.cpp : mirrors include/attune/search/bayes/bayesian_options.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/bayesian_options.hpp>

#include <attune/search/bayesian.hpp>

#include <doctest/doctest.h>

#include "../../laws/searcher.hpp"

TEST_CASE("sampled candidates and little memory search a space to its end")
{
    attune::bayesian_options const options{.max_pool = 5, .fresh = 10, .memory_limit = 14};
    attune::bayesian_searcher s(search_spaces::constrained(), 1, options);
    CHECK(searcher_law::drive(s, 2, searcher_law::judge).size() == 36);
}
