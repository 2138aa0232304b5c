// tests/space/query/nearest.cpp - the valid configurations nearest to a configuration.
// SPDX-License-Identifier: MIT
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "../../laws/tree.hpp"
#include "../space_oracle.hpp"

using attune::chain_of_trees;
using attune::nearest_valid;
using attune::op;
using attune::point;
using attune_tests::space_writer;

namespace {

std::pair<std::size_t, double> cost(attune::description const& space, point const& a,
                                    point const& b)
{
    std::size_t changes = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        changes += a[i] != b[i] ? 1U : 0U;
    return {changes, attune::distance(space, a, b)};
}

} // namespace

TEST_CASE("the nearest valid configurations are those that brute force finds")
{
    attune::random_engine engine(4);
    attune_tests::for_valid_spaces(99, 400, [&](auto const& space, auto const& valid) {
        chain_of_trees const chain(space);
        for (int k = 0; k < 4; ++k) {
            point p(space.parameters.size());
            for (std::size_t i = 0; i < p.size(); ++i)
                p[i].index = static_cast<std::uint32_t>(
                    attune::uniform_below(engine, space.parameters[i].value_count()));
            if (k == 0) p = valid[attune::uniform_below(engine, valid.size())];
            std::vector<std::pair<std::size_t, double>> expected;
            for (point const& q : valid)
                if (q != p) expected.push_back(cost(space, p, q));
            std::sort(expected.begin(), expected.end());
            auto const near = nearest_valid(chain, p, {.count = 6});
            REQUIRE(near.size() == std::min<std::size_t>(6, expected.size()));
            CHECK(attune_tests::point_set(near.begin(), near.end()).size() == near.size());
            for (std::size_t i = 0; i < near.size(); ++i) {
                CHECK(chain.contains(near[i]));
                CHECK(near[i] != p);
                auto const got = cost(space, p, near[i]);
                CHECK(got.first == expected[i].first);
                CHECK(got.second == doctest::Approx(expected[i].second));
            }
        }
    });
}

TEST_CASE(
    "where no parameter can change alone, the nearest ones that change two are the neighbours")
{
    space_writer w;
    auto const a = w.range("a", 1, 9);
    auto const b = w.range("b", 1, 9);
    w.require(w.join(op::equal, w.read(a), w.read(b)), "a == b");
    chain_of_trees const chain(w.out);
    point const p{{4, 0}, {4, 0}};
    CHECK(chain.neighbours(p) == nearest_valid(chain, p));
    std::vector<point> near = nearest_valid(chain, p, {.count = 2});
    std::sort(near.begin(), near.end(),
              [](point const& x, point const& y) { return x[0].index < y[0].index; });
    CHECK(near == std::vector<point>{{{3, 0}, {3, 0}}, {{5, 0}, {5, 0}}});
}

TEST_CASE("the nearest of a space that nothing could enumerate are found by walks")
{
    space_writer w;
    for (int i = 0; i < 12; ++i) {
        auto const a = w.range("a" + std::to_string(i), 1, 100);
        auto const b = w.range("b" + std::to_string(i), 1, 100);
        w.require(w.join(op::less, w.read(a), w.read(b)), "a < b");
    }
    chain_of_trees const chain(w.out);
    // Every pair is equal, hence broken: 12 changes by one step at least.
    point const p(24, {50, 0});
    auto const near = nearest_valid(chain, p, {.count = 100});
    REQUIRE(near.size() == 100);
    for (point const& q : near) {
        CHECK(chain.contains(q));
        CHECK(cost(w.out, p, q).first == 12);
        CHECK(cost(w.out, p, q).second == doctest::Approx(std::sqrt(12.0) / 99));
    }
}

TEST_CASE("bounds from below lead straight to the nearest leaves of a deep tree")
{
    // a0 < a1 < .. < a11 out of 100 values, all at 50: one can stay, the others make room. With
    // 5 below and 6 above it, or 6 and 5, the squares of the moves add up to 55 + 91.
    space_writer w;
    for (std::uint32_t i = 0; i < 12; ++i) {
        w.range("a" + std::to_string(i), 1, 100);
        if (i > 0) w.require(w.join(op::less, w.read(i - 1), w.read(i)), "ascending");
    }
    chain_of_trees const chain(w.out);
    REQUIRE(chain.tree_count() == 1);
    point const p(12, {49, 0});
    auto const near = nearest_valid(chain, p, {.count = 3});
    REQUIRE(near.size() == 3);
    for (point const& q : near)
        CHECK(cost(w.out, p, q).first == 11);
    CHECK(cost(w.out, p, near[0]).second == doctest::Approx(std::sqrt(146.0) / 99));
    CHECK(cost(w.out, p, near[1]).second == doctest::Approx(std::sqrt(146.0) / 99));
    CHECK(cost(w.out, p, near[2]).second > std::sqrt(146.5) / 99);
}

TEST_CASE("real parameters stay, and constraints over them decide what is valid")
{
    space_writer w;
    w.real("x", 0, 10);
    w.range("a", 0, 9);
    w.range("b", 0, 9);
    w.where("x < a");
    chain_of_trees const chain(w.out);
    auto const near = nearest_valid(chain, point{{0, 6.5}, {2, 0}, {3, 0}}, {.count = 3});
    REQUIRE(near.size() == 3);
    CHECK(near[0] == point{{0, 6.5}, {7, 0}, {3, 0}});
    CHECK(near[1] == point{{0, 6.5}, {8, 0}, {3, 0}});
    CHECK(near[2] == point{{0, 6.5}, {9, 0}, {3, 0}});
    CHECK(nearest_valid(chain, point{{0, 9.5}, {2, 0}, {3, 0}}).empty());
}

TEST_CASE("the only configuration has none near it")
{
    CHECK(nearest_valid(chain_of_trees(attune::description{}), {}).empty());
}
