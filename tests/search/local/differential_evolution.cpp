// tests/search/local/differential_evolution.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/local/differential_evolution.hpp>

#include <doctest/doctest.h>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::differential_evolution);

TEST_CASE("differential_evolution finds the bottom of a valley sooner than chance")
{
    searcher_trials::check_finds_valley_sooner_than_chance<attune::differential_evolution>();
}

TEST_CASE(
    "differential_evolution searches real parameters, permutations and tiles under constraints")
{
    searcher_trials::check_every_kind<attune::differential_evolution>();
}

TEST_CASE("differential_evolution gets out of a region where everything fails")
{
    searcher_trials::check_escapes_failures<attune::differential_evolution>();
}
