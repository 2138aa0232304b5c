// tests/search/compose/simplex.cpp : mirrors include/attune/search/compose/simplex.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/compose/simplex.hpp>

#include <attune/search/compose/mutation_bandit.hpp>
#include <attune/search/compose/unit_steps.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "../../laws/searcher.hpp"
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
    attune::description d;
    d.parameters = {search_spaces::real("u", 0, 1), search_spaces::real("v", 0, 1),
                    search_spaces::real("w", 0, 1)};
    return attune::chain_of_trees(d);
}
double bowl(point const& p)
{
    double const u = p[0].real - 0.2;
    double const v = p[1].real - 0.7;
    double const w = p[2].real - 0.4;
    return u * u + 4 * v * v + 2 * w * w + u * v;
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
    std::vector<point> vertices;
    for (int i = 0; i < 4; ++i) {
        vertices.push_back(s.ask(1).front());
        s.tell(vertices.back(), attune::measurement::exact(1 + bowl(vertices.back())));
    }
    std::sort(vertices.begin(), vertices.end(),
              [](point const& a, point const& b) { return bowl(a) < bowl(b); });
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
    std::vector<point> vertices;
    for (int i = 0; i < 4; ++i) {
        vertices.push_back(s.ask(1).front());
        s.tell(vertices.back(), attune::measurement::exact(1 + bowl(vertices.back())));
    }
    std::sort(vertices.begin(), vertices.end(),
              [](point const& a, point const& b) { return bowl(a) < bowl(b); });
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
