// tests/search/local/particle_swarm.cpp : mirrors include/attune/search/local/particle_swarm.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/local/particle_swarm.hpp>

#include <doctest/doctest.h>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::particle_swarm);

TEST_CASE("particle_swarm finds the bottom of a valley sooner than chance")
{
    searcher_trials::check_finds_valley_sooner_than_chance<attune::particle_swarm>();
}

TEST_CASE("particle_swarm searches real parameters, permutations and tiles under constraints")
{
    searcher_trials::check_every_kind<attune::particle_swarm>();
}

TEST_CASE("particle_swarm gets out of a region where everything fails")
{
    searcher_trials::check_escapes_failures<attune::particle_swarm>();
}
