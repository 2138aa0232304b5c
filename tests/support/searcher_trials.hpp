// tests/support/searcher_trials.hpp : what a searcher that learns must achieve, on known functions
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/declare/table.hpp>
#include <attune/search/random.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <unordered_set>
#include <vector>

#include "search_spaces.hpp"

namespace searcher_trials {

/// Four parameters of twelve values, half of the space forbidden.
inline attune::chain_of_trees valley_space()
{
    using namespace search_spaces;
    return space_of({counting("a", 12), counting("b", 12), counting("c", 12),
                     categorical("d", {"x", "y", "z"})},
                    {required({0, 1}, "a <= b",
                              [](auto const&, auto at) { return at[0].index <= at[1].index; })});
}

/// Lowest, 1, at (3, 8, 5, y).
inline double valley(attune::point const& p)
{
    auto const square = [&p](std::size_t i, double centre) {
        double const gap = p[i].index - centre;
        return gap * gap;
    };
    return 1 + square(0, 3) + square(1, 8) + square(2, 5) + (p[3].index == 1 ? 0 : 20);
}

/// An interval, a permutation of four, a tile of 24 = x * y, a boolean; x of the tile is at most 8,
/// and the interval stays above 0.2 where the boolean is set.
inline attune::chain_of_trees every_kind()
{
    using namespace search_spaces;
    return space_of(
        {real("u", 0, 1), permutation("order", 4), tile("tile", 24, 2), boolean("flag")},
        {required({2}, "tile[0] <= 8",
                  [](attune::description const& of, auto at) {
                      return attune::elements_at(of.parameters[2], at[0].index)[0] <= 8;
                  }),
         required({0, 3}, "!flag || u >= 0.2",
                  [](auto const&, auto at) { return at[1].index == 0 || at[0].real >= 0.2; })});
}

/// Lowest, 1, at u = 0.6, the identical order, tile (4, 6), flag set.
inline double every_kind_cost(attune::chain_of_trees const& space, attune::point const& p)
{
    auto const order = attune::elements_at(space.describe().parameters[1], p[1].index);
    auto const tile = attune::elements_at(space.describe().parameters[2], p[2].index);
    double cost = 1 + 4 * (p[0].real - 0.6) * (p[0].real - 0.6);
    for (std::size_t i = 0; i < order.size(); ++i)
        cost += order[i] == static_cast<std::int64_t>(i) ? 0 : 0.5;
    cost += tile[0] == 4 ? 0 : 1;
    return cost + (p[3].index == 1 ? 0 : 1);
}

/// The best value after `evaluations`; every point asked must be valid and new.
template <class S, class Cost>
double best_after(attune::chain_of_trees const& space, std::uint64_t seed, std::size_t evaluations,
                  Cost const& cost)
{
    S s(space, seed);
    double best = std::numeric_limits<double>::infinity();
    std::unordered_set<attune::point, attune::point_hash> seen;
    for (std::size_t i = 0; i < evaluations; ++i) {
        std::vector<attune::point> const asked = s.ask(1);
        REQUIRE(asked.size() == 1);
        REQUIRE(space.contains(asked.front()));
        REQUIRE(seen.insert(asked.front()).second);
        attune::outcome const result = attune::outcome_of(cost(asked.front()));
        s.tell(asked.front(), result);
        if (auto const* const m = std::get_if<attune::measurement>(&result))
            best = std::min(best, m->value);
    }
    return best;
}

/// The mean over seeds of best_after.
template <class S, class Cost>
double mean_best(attune::chain_of_trees const& space, std::size_t evaluations, Cost const& cost,
                 std::uint64_t seeds = 12)
{
    double sum = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed)
        sum += best_after<S>(space, seed, evaluations, cost);
    return sum / static_cast<double>(seeds);
}

/// After so many of 2808 points the excess over the bottom is at most two thirds of random
/// search's.
template <class S>
void check_finds_valley_sooner_than_chance(std::size_t evaluations = 150, std::uint64_t seeds = 12)
{
    attune::chain_of_trees const space = valley_space();
    double const learnt = mean_best<S>(space, evaluations, valley, seeds) - 1;
    double const chance = mean_best<attune::random_searcher>(space, evaluations, valley, seeds) - 1;
    CHECK(learnt < chance * 2 / 3);
}

/// The same where parameters are of all kinds and one is without a table.
template <class S>
void check_every_kind()
{
    attune::chain_of_trees const space = every_kind();
    auto const cost = [&space](attune::point const& p) { return every_kind_cost(space, p); };
    double const learnt = mean_best<S>(space, 150, cost) - 1;
    double const chance = mean_best<attune::random_searcher>(space, 150, cost) - 1;
    CHECK(learnt < chance);
}

/// Nine points in ten fail, at random: what works is found and improved on all the same.
template <class S>
void check_escapes_failures()
{
    attune::chain_of_trees const space = valley_space();
    auto const cost = [](attune::point const& p) {
        return attune::point_hash{}(p) % 10 == 0 ? valley(p)
                                                 : std::numeric_limits<double>::infinity();
    };
    double const learnt = mean_best<S>(space, 200, cost);
    CHECK(learnt < 1.2 * mean_best<attune::random_searcher>(space, 200, cost));
}

} // namespace searcher_trials

TEST_CASE_TEMPLATE_DEFINE("a searcher that learns is better than chance", S, searcher_learns)
{
    SUBCASE("it finds the bottom of a valley sooner")
    {
        searcher_trials::check_finds_valley_sooner_than_chance<S>();
    }
    SUBCASE("it searches real parameters, permutations and tiles under constraints")
    {
        searcher_trials::check_every_kind<S>();
    }
    SUBCASE("it gets out of a region where everything fails")
    {
        searcher_trials::check_escapes_failures<S>();
    }
}
