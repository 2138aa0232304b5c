// tests/search/local/stepwise.cpp : mirrors include/attune/search/local/stepwise.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/local/stepwise.hpp>

#include <attune/search/local/annealing.hpp>
#include <attune/search/local/populations.hpp>

#include <doctest/doctest.h>
#include <unordered_set>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::annealing, attune::local_search,
                          attune::coordinate_descent, attune::genetic,
                          attune::differential_evolution, attune::particle_swarm);
TEST_CASE_TEMPLATE_INVOKE(searcher_learns, attune::annealing, attune::local_search,
                          attune::coordinate_descent, attune::genetic,
                          attune::differential_evolution, attune::particle_swarm);

TEST_CASE("more points than a round has are given at once, and all of them are new")
{
    attune::chain_of_trees const space = searcher_trials::valley_space();
    attune::annealing s(space, 1); // a round of annealing has as many points as are asked for
    attune::genetic g(space, 1);   // a generation has 20, whatever is asked for
    for (std::size_t const k : {1U, 7U, 100U, 3U}) {
        std::vector<attune::point> const asked = s.ask(k);
        std::vector<attune::point> const bred = g.ask(k);
        CHECK(asked.size() == k);
        CHECK(bred.size() == k);
        std::unordered_set<attune::point, attune::point_hash> distinct(bred.begin(), bred.end());
        CHECK(distinct.size() == k);
        for (attune::point const& p : asked)
            s.tell(p, attune::measurement::exact(searcher_trials::valley(p)));
        for (attune::point const& p : bred)
            g.tell(p, attune::measurement::exact(searcher_trials::valley(p)));
    }
}

TEST_CASE("an outcome that never comes does not stop the search")
{
    attune::chain_of_trees const space = search_spaces::grid(12);
    attune::genetic s(space, 1);
    static_cast<void>(s.ask(1));
    std::unordered_set<attune::point, attune::point_hash> seen;
    for (std::vector<attune::point> asked = s.ask(1); !asked.empty(); asked = s.ask(1)) {
        CHECK(seen.insert(asked.front()).second);
        s.tell(asked.front(), attune::measurement::exact(1));
    }
    CHECK(seen.size() == 143);
}

TEST_CASE("a searcher that was moved goes on where it was")
{
    attune::chain_of_trees const space = searcher_trials::valley_space();
    auto const step = [](attune::annealing& s) {
        attune::point const p = s.ask(1).front();
        s.tell(p, attune::measurement::exact(searcher_trials::valley(p)));
        return p;
    };
    attune::annealing stays(space, 4);
    attune::annealing first(space, 4);
    for (int i = 0; i < 30; ++i)
        CHECK(step(stays) == step(first));
    attune::annealing second = std::move(first);
    for (int i = 0; i < 30; ++i)
        CHECK(step(stays) == step(second));
}

TEST_CASE("who asks for more than there is gets all of it at once")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    CHECK(attune::genetic(space, 1).ask(1'000'000).size() == 36);
    CHECK(attune::annealing(space, 1).ask(1'000'000).size() == 36);
}
