// tests/search/local/annealing.cpp : mirrors include/attune/search/local/annealing.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/local/annealing.hpp>

#include <doctest/doctest.h>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::annealing);

TEST_CASE("annealing finds the bottom of a valley sooner than chance")
{
    searcher_trials::check_finds_valley_sooner_than_chance<attune::annealing>();
}

TEST_CASE("annealing searches real parameters, permutations and tiles under constraints")
{
    searcher_trials::check_every_kind<attune::annealing>();
}

TEST_CASE("annealing gets out of a region where everything fails")
{
    searcher_trials::check_escapes_failures<attune::annealing>();
}
