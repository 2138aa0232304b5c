// tests/search/compose/simplex.cpp : mirrors include/attune/search/compose/simplex.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/compose/simplex.hpp>

#include <attune/core/error.hpp>
#include <attune/search/compose/closed.hpp>
#include <attune/search/compose/technique_text.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/search_spaces.hpp"
#include "../../support/searcher_trials.hpp"

namespace search = attune::search;
using attune::point;

namespace {

using search::closed_search;

/// A closed technique with settings other than its own.
template <class A, search::simplex_start Start>
struct started : closed_search<A> {
    static A with()
    {
        A out;
        out.start = Start;
        return out;
    }
    explicit started(attune::chain_of_trees const& space, std::uint64_t seed)
        : closed_search<A>(space, seed, with())
    {
    }
};
using right_nelder_mead = started<search::nelder_mead, search::simplex_start::right>;
using regular_nelder_mead = started<search::nelder_mead, search::simplex_start::regular>;
using right_torczon = started<search::torczon, search::simplex_start::right>;
using regular_torczon = started<search::torczon, search::simplex_start::regular>;

/// Three real parameters, lowest, 0, at (0.2, 0.7, 0.4); steeper along one than along the others.
attune::chain_of_trees cube()
{
    return search_spaces::space_of({search_spaces::real("u", 0, 1), search_spaces::real("v", 0, 1),
                                    search_spaces::real("w", 0, 1)});
}
double bowl(point const& p)
{
    double const u = p[0].real - 0.2;
    double const v = p[1].real - 0.7;
    double const w = p[2].real - 0.4;
    return u * u + 4 * v * v + 2 * w * w + u * v;
}

/// The first simplex of a search in the cube, best first.
template <class S>
std::vector<point> first_vertices(S& s)
{
    std::vector<point> vertices;
    for (int i = 0; i < 4; ++i) {
        vertices.push_back(s.ask(1).front());
        s.tell(vertices.back(), attune::measurement::exact(1 + bowl(vertices.back())));
    }
    std::sort(vertices.begin(), vertices.end(),
              [](point const& a, point const& b) { return bowl(a) < bowl(b); });
    return vertices;
}

double distance(std::vector<double> const& a, std::vector<double> const& b)
{
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        out += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(out);
}

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, closed_search<search::pure_random>,
                          closed_search<search::nelder_mead>, right_nelder_mead,
                          regular_nelder_mead, closed_search<search::torczon>, right_torczon,
                          regular_torczon, closed_search<search::pattern_search>,
                          closed_search<search::pseudo_annealing>,
                          closed_search<search::mutation_bandit>);

TEST_CASE("simplices are right or regular, with edges of the length given")
{
    for (std::size_t const n : {1U, 2U, 3U, 7U}) {
        std::vector<double> at(n, 0.3);
        at.back() = 0.9; // its axis points down
        auto const right = search::detail::simplex_at(at, search::simplex_start::right, 0.1);
        auto const regular = search::detail::simplex_at(at, search::simplex_start::regular, 0.1);
        REQUIRE(right.size() == n + 1);
        REQUIRE(regular.size() == n + 1);
        for (std::size_t i = 0; i <= n; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                CHECK(distance(regular[i], regular[j]) == doctest::Approx(0.1));
                CHECK(distance(right[i], right[j]) ==
                      doctest::Approx(j == 0 ? 0.1 : 0.1 * std::sqrt(2.0)));
            }
        for (auto const& vertices : {right, regular})
            for (auto const& vertex : vertices)
                for (double const v : vertex)
                    CHECK((v >= 0 && v <= 1));
    }
}

// Not Torczon's search from a random start: its simplex keeps its shape, however flat that is.
TEST_CASE_TEMPLATE("searches by simplices and steps converge in a bowl", S,
                   closed_search<search::nelder_mead>, right_nelder_mead, regular_nelder_mead,
                   right_torczon, regular_torczon, closed_search<search::pattern_search>)
{
    attune::chain_of_trees const space = cube();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        double const found = searcher_trials::best_after<S>(space, seed, 250, bowl);
        double const chance =
            searcher_trials::best_after<attune::random_searcher>(space, seed, 250, bowl);
        CHECK(found < 1e-3);
        CHECK(found < chance);
    }
}

TEST_CASE("the first step of Nelder-Mead is the reflection of the worst vertex")
{
    attune::chain_of_trees const space = cube();
    right_nelder_mead s(space, 4);
    std::vector<point> const vertices = first_vertices(s);
    point const next = s.ask(1).front();
    for (std::size_t d = 0; d < 3; ++d) {
        double const centre = (vertices[0][d].real + vertices[1][d].real + vertices[2][d].real) / 3;
        double const wanted = std::clamp(2 * centre - vertices[3][d].real, 0.0, 1.0);
        CHECK(next[d].real == doctest::Approx(wanted));
    }
}

TEST_CASE("the first steps of Torczon reflect all vertices at the best one")
{
    attune::chain_of_trees const space = cube();
    right_torczon s(space, 6);
    std::vector<point> const vertices = first_vertices(s);
    for (std::size_t i = 1; i < 4; ++i) {
        point const next = s.ask(1).front();
        s.tell(next, attune::measurement::exact(1 + bowl(next)));
        for (std::size_t d = 0; d < 3; ++d) {
            double const wanted =
                std::clamp(2 * vertices[0][d].real - vertices[i][d].real, 0.0, 1.0);
            CHECK(next[d].real == doctest::Approx(wanted));
        }
    }
}

TEST_CASE_TEMPLATE("closed techniques find the bottom of a valley sooner than chance", S,
                   closed_search<search::nelder_mead>, closed_search<search::pattern_search>,
                   closed_search<search::mutation_bandit>)
{
    searcher_trials::check_finds_valley_sooner_than_chance<S>();
}

TEST_CASE_TEMPLATE("closed techniques learn from parameters of all kinds under constraints", S,
                   closed_search<search::nelder_mead>, closed_search<search::pattern_search>,
                   closed_search<search::pseudo_annealing>, closed_search<search::mutation_bandit>)
{
    searcher_trials::check_every_kind<S>();
}

namespace search = attune::search;
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
std::vector<point> proposals(Searcher one, int count = 200)
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
          proposals(attune::genetic(grid(), 3, {.children = 4, .mutation = 0.3})));
    CHECK(proposals(parse_technique("annealing;evaluations,50;hot,0.5")) ==
          proposals(attune::annealing(grid(), 3, {.evaluations = 50, .hot = 0.5})));
    CHECK(proposals(parse_technique("coordinate_descent;most_values,3")) ==
          proposals(attune::coordinate_descent(grid(), 3, {.most_values = 3})));
    CHECK(
        proposals(parse_technique("differential_evolution;population,8;crossover,0.5")) ==
        proposals(attune::differential_evolution(grid(), 3, {.population = 8, .crossover = 0.5})));
    CHECK(proposals(parse_technique("local_search;starts,3;most_values,4")) ==
          proposals(attune::local_search(grid(), 3, {.starts = 3, .most_values = 4})));
    CHECK(proposals(parse_technique("neighbourhood_descent;candidates,8;patience,1")) ==
          proposals(attune::neighbourhood_descent(grid(), 3, {.candidates = 8, .patience = 1})));
    CHECK(proposals(parse_technique("particle_swarm;particles,5;inertia,0.9")) ==
          proposals(attune::particle_swarm(grid(), 3, {.particles = 5, .inertia = 0.9})));
    CHECK(proposals(parse_technique("genetic;mutation,0.3")) !=
          proposals(parse_technique("genetic")));
}

TEST_CASE("a name without settings has those of the searcher, and its full name says all")
{
    CHECK(proposals(parse_technique("genetic")) == proposals(attune::genetic(grid(), 3)));
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
          "neighbourhood_descent;starts,0;tries,0;candidates,0;neighbours,0;tabu,0;patience,0",
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
