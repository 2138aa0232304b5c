// tests/search/local/neighbourhood_descent.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/local/neighbourhood_descent.hpp>

#include <doctest/doctest.h>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::neighbourhood_descent);

TEST_CASE("neighbourhood_descent finds the bottom of a valley sooner than chance")
{
    searcher_trials::check_finds_valley_sooner_than_chance<attune::neighbourhood_descent>();
}

TEST_CASE(
    "neighbourhood_descent searches real parameters, permutations and tiles under constraints")
{
    searcher_trials::check_every_kind<attune::neighbourhood_descent>();
}

TEST_CASE("neighbourhood_descent gets out of a region where everything fails")
{
    searcher_trials::check_escapes_failures<attune::neighbourhood_descent>();
}
