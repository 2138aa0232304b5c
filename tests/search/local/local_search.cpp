// tests/search/local/local_search.cpp : mirrors include/attune/search/local/local_search.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/local/local_search.hpp>

#include <doctest/doctest.h>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::local_search);

TEST_CASE("local_search finds the bottom of a valley sooner than chance")
{
    searcher_trials::check_finds_valley_sooner_than_chance<attune::local_search>();
}

TEST_CASE("local_search searches real parameters, permutations and tiles under constraints")
{
    searcher_trials::check_every_kind<attune::local_search>();
}

TEST_CASE("local_search gets out of a region where everything fails")
{
    searcher_trials::check_escapes_failures<attune::local_search>();
}
