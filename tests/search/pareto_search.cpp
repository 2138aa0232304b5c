// tests/search/pareto_search.cpp : mirrors include/attune/search/pareto_search.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/pareto_search.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/event.hpp>
#include <attune/search/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "../support/search_spaces.hpp"

using attune::failure;
using attune::failure_stage;
using attune::goal;
using attune::pareto_member;
using attune::pareto_search;
using attune::point;
using attune::two_outcome;
using attune::two_values;
using attune::detail::chebyshev;
using attune::detail::scaled_to_front;

namespace {

double const not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Squared distances to two corners' neighbours: the front is the diagonal between them.
two_values distances(point const& p)
{
    double const x = p[0].index;
    double const y = p[1].index;
    return {(x - 2) * (x - 2) + (y - 2) * (y - 2), (x - 13) * (x - 13) + (y - 13) * (y - 13)};
}

/// ZDT1 on a grid: the front is where the second index is 0.
two_values zdt1(point const& p)
{
    double const x = p[0].index / 29.0;
    double const g = 1 + 9 * p[1].index / 29.0;
    return {x, g * (1 - std::sqrt(x / g))};
}

template <class F>
void run(pareto_search& search, int evaluations, F const& f)
{
    for (int i = 0; i < evaluations; ++i) {
        std::vector<point> const asked = search.ask(1);
        if (asked.empty()) return;
        search.tell(asked.front(), two_outcome{f(asked.front())});
    }
}

std::vector<two_values> all_values(attune::chain_of_trees const& space,
                                   two_values (*f)(point const&))
{
    std::vector<two_values> out;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(*space.size()); ++i)
        out.push_back(f(space.at(i)));
    return out;
}

attune::search_factory drawing() { return attune::search_with<attune::random_searcher>(); }

} // namespace

TEST_CASE("a front is found whole when the whole space is told")
{
    attune::chain_of_trees const space = search_spaces::grid(16);
    pareto_search search(space, 1, {}, attune::search_with<attune::exhaustive_searcher>());
    run(search, 1000, distances);
    std::vector<two_values> const all = all_values(space, distances);
    std::vector<two_values> expected;
    for (std::size_t const i : attune::non_dominated(all))
        expected.push_back(all[i]);
    std::vector<two_values> found;
    for (pareto_member const& m : search.front()) {
        CHECK(distances(m.where) == m.values);
        found.push_back(m.values);
    }
    CHECK(found == expected);
    CHECK(found.size() >= 12); // the diagonal, and steps beside it
    CHECK(search.hypervolume({400, 400}) == attune::hypervolume(all, {400, 400}));
    CHECK(search.ask(1).empty());
}

TEST_CASE("the default search covers most of known fronts, and more than random search does")
{
    struct problem {
        attune::chain_of_trees space;
        two_values (*f)(point const&);
        two_values reference;
    };
    std::vector<problem> const problems{{search_spaces::grid(30), zdt1, {1.1, 1.1}},
                                        {search_spaces::grid(16), distances, {270, 270}}};
    for (problem const& one : problems) {
        double const whole = attune::hypervolume(all_values(one.space, one.f), one.reference);
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            pareto_search modelled(one.space, seed);
            pareto_search random(one.space, seed, {}, drawing());
            run(modelled, 40, one.f);
            run(random, 40, one.f);
            double const share = modelled.hypervolume(one.reference) / whole;
            CHECK(share > 0.9);
            CHECK(share > random.hypervolume(one.reference) / whole);
            CHECK(share <= 1 + 1e-12);
        }
    }
}

TEST_CASE("the highest is found as the lowest of the negated objective, bit for bit")
{
    attune::chain_of_trees const space = search_spaces::grid(16);
    pareto_search lowest(space, 7);
    pareto_search highest(space, 7, {.goals = {goal::highest, goal::lowest}});
    for (int i = 0; i < 25; ++i) {
        std::vector<point> const a = lowest.ask(1);
        std::vector<point> const b = highest.ask(1);
        REQUIRE(a == b);
        two_values const v = distances(a.front());
        lowest.tell(a.front(), v);
        highest.tell(b.front(), two_values{-v[0], v[1]});
    }
    std::vector<pareto_member> const a = lowest.front();
    std::vector<pareto_member> const b = highest.front();
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        CHECK(a[i].where == b[i].where);
        CHECK(a[i].values[0] == -b[i].values[0]);
    }
    CHECK(lowest.hypervolume({500, 500}) == highest.hypervolume({-500, 500}));
}

TEST_CASE("nothing is asked twice, batches are distinct, and the default comes first")
{
    attune::description d;
    d.parameters = {search_spaces::counting("a", 6), search_spaces::counting("b", 6)};
    d.parameters[0].default_text = "4";
    d.parameters[1].default_text = "5";
    attune::chain_of_trees const space(d);
    pareto_search search(space, 3);
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    std::vector<point> next = search.ask(3);
    REQUIRE(next.size() == 3);
    CHECK(next[0][0].index == 4);
    CHECK(next[0][1].index == 5);
    while (!next.empty()) {
        for (point const& p : next) {
            CHECK(seen.emplace(p[0].index, p[1].index).second);
            if (seen.size() % 5 == 0)
                search.tell(p, failure{failure_stage::crash, "no"});
            else
                search.tell(p, distances(p));
        }
        next = search.ask(3);
    }
    CHECK(seen.size() == 36);
}

TEST_CASE("values that are not finite are failures, and a point told again is replaced")
{
    attune::chain_of_trees const space = search_spaces::grid(4);
    pareto_search search(space, 1);
    point const a = space.at(std::uint64_t{0});
    point const b = space.at(std::uint64_t{5});
    search.tell(a, two_values{not_a_number, 0});
    search.tell(b, two_values{1, std::numeric_limits<double>::infinity()});
    CHECK(search.front().empty());
    CHECK(search.hypervolume({9, 9}) == 0);
    search.tell(a, two_values{2, 2});
    search.tell(b, two_values{1, 3});
    CHECK(search.front().size() == 2);
    search.tell(b, two_values{3, 3}); // worse than `a` now
    REQUIRE(search.front().size() == 1);
    CHECK(search.front().front() == pareto_member{a, {2, 2}});
    search.tell(a, failure{failure_stage::timeout, "later"});
    REQUIRE(search.front().size() == 1);
    CHECK(search.front().front() == pareto_member{b, {3, 3}});
    CHECK(!search.ask(1).empty());
    CHECK_THROWS_AS(search.tell(point{{9, 0.0}, {0, 0.0}}, two_values{1, 1}), attune::error);
    CHECK_THROWS_AS(search.tell(point{}, two_values{1, 1}), attune::error);
    CHECK_THROWS_AS(pareto_search(space, 1, {.augmentation = -1}), attune::error);
    CHECK_THROWS_AS(pareto_search(space, 1, {.augmentation = not_a_number}), attune::error);
}

TEST_CASE("of equal values the configuration told first is on the front")
{
    attune::chain_of_trees const space = search_spaces::grid(4);
    pareto_search search(space, 1);
    for (std::uint64_t const i : std::vector<std::uint64_t>{3, 1, 2})
        search.tell(space.at(i), two_values{1, 1});
    REQUIRE(search.front().size() == 1);
    CHECK(search.front().front().where == space.at(std::uint64_t{3}));
    run(search, 30, [](point const&) { return two_values{1, 1}; }); // no extent at all
    CHECK(search.front().size() == 1);
}

TEST_CASE("a search goes on from its saved calls bit for bit, and not from those of another")
{
    attune::chain_of_trees const space = search_spaces::grid(30);
    pareto_search whole(space, 5);
    run(whole, 12, zdt1);
    std::vector<point> const open = whole.ask(2); // not told yet
    attune::logged_session const saved = whole.save();
    pareto_search resumed(space, 5);
    resumed.resume(saved);
    CHECK(resumed.front() == whole.front());
    for (pareto_search* const s : {&whole, &resumed}) {
        s->tell(open[1], zdt1(open[1]));
        s->tell(open[0], failure{failure_stage::crash, "no"});
        run(*s, 6, zdt1);
    }
    CHECK(resumed.front() == whole.front());
    CHECK(resumed.ask(1) == whole.ask(1));
    CHECK_THROWS_AS(resumed.resume(saved), attune::error); // it has begun
    pareto_search other_seed(space, 6);
    CHECK_THROWS_AS(other_seed.resume(saved), attune::error);
    pareto_search other_search(space, 5, {}, drawing());
    CHECK_THROWS_AS(other_search.resume(saved), attune::error);
    attune::logged_session damaged = saved;
    for (attune::event& e : damaged.events)
        e.numbers.clear();
    pareto_search fresh(space, 5);
    CHECK_THROWS_AS(fresh.resume(damaged), attune::error);
}

TEST_CASE("the front lies between 0 and 1 on the scale of the weights")
{
    std::vector<two_values> const scaled =
        scaled_to_front(std::vector<two_values>{{10, 4}, {20, 2}, {30, 1}, {40, 9}});
    CHECK(scaled == std::vector<two_values>{{0, 1}, {0.5, 1.0 / 3}, {1, 0}, {1.5, 8.0 / 3}});
    // One configuration is best in both: the others give the extent.
    CHECK(scaled_to_front(std::vector<two_values>{{1, 1}, {3, 2}}) ==
          std::vector<two_values>{{0, 0}, {1, 1}});
    CHECK(scaled_to_front(std::vector<two_values>{{5, 7}}) == std::vector<two_values>{{0, 0}});
    CHECK(scaled_to_front({}).empty());
}

TEST_CASE("every configuration of the front is lowest for some weight, and no other one is")
{
    // Bowman 1976: with the augmented Chebyshev function and a small rho, also where the front is
    // not convex, as here.
    attune::random_engine engine(3);
    for (int round = 0; round < 20; ++round) {
        std::vector<two_values> values;
        for (int i = 0; i < 25; ++i)
            values.push_back({attune::uniform_unit(engine), attune::uniform_unit(engine)});
        std::vector<two_values> const scaled = scaled_to_front(values);
        std::set<std::size_t> lowest;
        for (int w = 0; w <= 4000; ++w) {
            double const weight = w / 4000.0;
            std::size_t best = 0;
            for (std::size_t i = 1; i < scaled.size(); ++i)
                if (chebyshev(scaled[i], weight, 1e-6) < chebyshev(scaled[best], weight, 1e-6))
                    best = i;
            lowest.insert(best);
        }
        std::vector<std::size_t> front = attune::non_dominated(values);
        for (std::size_t const i : lowest)
            CHECK(std::find(front.begin(), front.end(), i) != front.end());
        CHECK(lowest.size() + 1 >= front.size()); // a weight between two close ones may be missed
    }
}

using attune::dominates;
using attune::hypervolume;
using attune::non_dominated;

namespace {

double const infinity = std::numeric_limits<double>::infinity();

/// Values on a coarse grid, so that many of them tie.
std::vector<two_values> random_values(std::size_t count, std::uint64_t levels, std::uint64_t seed)
{
    attune::random_engine engine(seed);
    std::vector<two_values> out;
    for (std::size_t i = 0; i < count; ++i) {
        double const a = static_cast<double>(attune::uniform_below(engine, levels));
        double const b = static_cast<double>(attune::uniform_below(engine, levels));
        out.push_back({a, b});
    }
    return out;
}

/// Cells of the unit grid that some value dominates: the area for values on that grid.
double counted_cells(std::vector<two_values> const& values, int reference)
{
    int cells = 0;
    for (int x = 0; x < reference; ++x)
        for (int y = 0; y < reference; ++y)
            cells += std::any_of(values.begin(), values.end(),
                                 [&](two_values const& v) { return v[0] <= x && v[1] <= y; });
    return cells;
}

} // namespace

TEST_CASE("a value dominates what is nowhere better and somewhere worse")
{
    CHECK(dominates({1, 1}, {1, 2}));
    CHECK(dominates({1, 1}, {2, 1}));
    CHECK(!dominates({1, 1}, {1, 1}));
    CHECK(!dominates({1, 2}, {2, 1}));
    CHECK(!dominates({not_a_number, 1}, {2, 2}));
    CHECK(!dominates({1, 1}, {not_a_number, 2}));
}

TEST_CASE("the front is what no other value dominates, the first of equal ones, by brute force")
{
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        std::vector<two_values> const values =
            random_values(1 + seed % 40, seed % 3 == 0 ? 4 : 30, seed);
        std::vector<std::size_t> expected;
        for (std::size_t i = 0; i < values.size(); ++i) {
            bool kept = true;
            for (std::size_t j = 0; j < values.size(); ++j)
                kept =
                    kept && !dominates(values[j], values[i]) && !(j < i && values[j] == values[i]);
            if (kept) expected.push_back(i);
        }
        std::vector<std::size_t> const found = non_dominated(values);
        for (std::size_t k = 1; k < found.size(); ++k)
            CHECK(values[found[k - 1]][0] < values[found[k]][0]);
        std::vector<std::size_t> sorted = found;
        std::sort(sorted.begin(), sorted.end());
        CHECK(sorted == expected);
    }
}

TEST_CASE("values that are not finite are on no front")
{
    std::vector<two_values> const values{
        {not_a_number, 0}, {0, not_a_number}, {-infinity, 5}, {3, infinity}, {2, 2}, {2, 2}};
    CHECK(non_dominated(values) == std::vector<std::size_t>{4});
    CHECK(non_dominated({}).empty());
    CHECK(hypervolume(values, {4, 5}) == 2 * 3);
    CHECK(hypervolume({}, {4, 5}) == 0);
}

TEST_CASE("the hypervolume is the number of dominated cells, by counting them")
{
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        std::vector<two_values> const values = random_values(1 + seed % 25, 24, seed + 100);
        for (int const reference : {1, 9, 20, 24, 30}) {
            double const edge = reference;
            CHECK(hypervolume(values, {edge, edge}) == counted_cells(values, reference));
        }
    }
}

TEST_CASE("the hypervolume of a fine front is the area above the curve")
{
    // ZDT1: f2 = 1 - sqrt(f1); above it, up to (1, 1), is an area of 2 / 3.
    std::vector<two_values> values;
    int const n = 20000;
    for (int i = 0; i <= n; ++i) {
        double const x = static_cast<double>(i) / n;
        values.push_back({x, 1 - std::sqrt(x)});
    }
    CHECK(hypervolume(values, {1, 1}) == doctest::Approx(2.0 / 3).epsilon(1e-4));
    CHECK(hypervolume(std::vector<two_values>{{1, 1}}, {1, 2}) == 0);
    CHECK(hypervolume(std::vector<two_values>{{0, 3}}, {1, 2}) == 0);
}
