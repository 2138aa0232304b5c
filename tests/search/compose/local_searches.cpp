// tests/search/compose/local_searches.cpp : searches of search/local/ by names that hold options
// SPDX-License-Identifier: MIT
#include <attune/search/compose/local_searches.hpp>

#include <attune/core/error.hpp>
#include <attune/search/compose/technique_text.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

#include "../../support/search_spaces.hpp"

namespace search = attune::search;
using attune::point;
using search::parse_technique;
using search::technique;

namespace {

/// Four parameters of ten values.
attune::chain_of_trees grid()
{
    attune::description d;
    for (char const* const name : {"a", "b", "c", "e"})
        d.parameters.push_back(search_spaces::ordinal(name, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    return attune::chain_of_trees(d);
}
double far_from_seven(point const& p)
{
    double sum = 0;
    for (attune::coordinate const& c : p)
        sum += (c.index - 7.0) * (c.index - 7.0);
    return 1 + sum;
}

/// What it proposes, with the times of far_from_seven().
template <class Searcher>
std::vector<point> proposals(Searcher one, int count)
{
    std::vector<point> out;
    for (int i = 0; i < count; ++i) {
        std::vector<point> const asked = one.ask(1);
        if (asked.empty()) break;
        out.push_back(asked.front());
        one.tell(asked.front(), attune::measurement::exact(far_from_seven(asked.front())));
    }
    return out;
}
std::vector<point> proposals(technique const& of, int count = 200)
{
    return proposals(of.make(grid(), 3), count);
}

} // namespace

TEST_CASE("a name proposes what the searcher with these options does")
{
    CHECK(proposals(parse_technique("genetic;mutation,0.3;children,4")) ==
          proposals(attune::genetic(grid(), 3, {.children = 4, .mutation = 0.3}), 200));
    CHECK(proposals(parse_technique("annealing;evaluations,50;hot,0.5")) ==
          proposals(attune::annealing(grid(), 3, {.evaluations = 50, .hot = 0.5}), 200));
    CHECK(proposals(parse_technique("coordinate_descent;most_values,3")) ==
          proposals(attune::coordinate_descent(grid(), 3, {.most_values = 3}), 200));
    CHECK(proposals(parse_technique("differential_evolution;population,8;crossover,0.5")) ==
          proposals(attune::differential_evolution(grid(), 3, {.population = 8, .crossover = 0.5}),
                    200));
    CHECK(proposals(parse_technique("local_search;starts,3;most_values,4")) ==
          proposals(attune::local_search(grid(), 3, {.starts = 3, .most_values = 4}), 200));
    CHECK(
        proposals(parse_technique("neighbourhood_descent;candidates,8;patience,1")) ==
        proposals(attune::neighbourhood_descent(grid(), 3, {.candidates = 8, .patience = 1}), 200));
    CHECK(proposals(parse_technique("particle_swarm;particles,5;inertia,0.9")) ==
          proposals(attune::particle_swarm(grid(), 3, {.particles = 5, .inertia = 0.9}), 200));
    CHECK(proposals(parse_technique("genetic;mutation,0.3")) !=
          proposals(parse_technique("genetic")));
}

TEST_CASE("a name without settings has those of the searcher, and its full name says all")
{
    CHECK(proposals(parse_technique("genetic")) == proposals(attune::genetic(grid(), 3), 200));
    technique const full = parse_technique("genetic");
    CHECK(full.name == "genetic;population,20;children,10;mutation,0.1;selection,2.5");
    CHECK(full.make(grid(), 0).strategy() == full.name);
    technique const mine = search::technique_of(search::genetic_settings{{.mutation = 0.3}});
    CHECK(mine.name == "genetic;population,20;children,10;mutation,0.3;selection,2.5");
    CHECK(parse_technique(mine.name).name == mine.name);
    for (std::string const wrong : {"genetic;mutations,1", "genetic;mutation,x"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(static_cast<void>(parse_technique(wrong)), attune::error);
    }
}

TEST_CASE("settings at their ends make searchers that go on proposing what is valid")
{
    for (std::string const name :
         {"annealing;starts,0;evaluations,0;hot,0;cold,0;far,0", "annealing;hot,-1;cold,-2;far,7",
          "coordinate_descent;starts,0;most_values,0",
          "differential_evolution;population,0;difference,0;crossover,-1",
          "differential_evolution;population,1;difference,1e300",
          "genetic;population,0;children,0;mutation,-1;selection,0",
          "genetic;population,1;children,1;mutation,9;selection,1e300",
          "local_search;starts,0;most_values,0",
          "neighbourhood_descent;starts,0;tries,0;candidates,0;"
          "neighbours,0;tabu,0;patience,0",
          "particle_swarm;particles,0;inertia,-3;own,1e300;swarm,-1e300",
          "particle_swarm;particles,1;inertia,1e300"}) {
        CAPTURE(name);
        std::vector<point> const all = proposals(parse_technique(name), 300);
        attune::chain_of_trees const space = grid();
        CHECK(all.size() == 300);
        for (point const& p : all)
            CHECK(space.contains(p));
    }
}
