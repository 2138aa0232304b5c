// tests/search/local/moves.cpp : mirrors include/attune/search/local/moves.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/local/moves.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../../support/searcher_trials.hpp"

using attune::detail::moves;

namespace {

std::size_t differing(attune::point const& a, attune::point const& b)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i]) ++count;
    return count;
}

/// Two parameters that must be equal: no single change is valid.
attune::chain_of_trees diagonal()
{
    return search_spaces::space_of(
        {search_spaces::counting("a", 6), search_spaces::counting("b", 6)},
        {search_spaces::required({0, 1}, "a == b",
                                 [](auto const&, auto at) { return at[0].index == at[1].index; })});
}

} // namespace

TEST_CASE("hamming gives every valid configuration that differs in one parameter, once")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    moves const near(space);
    attune::random_engine engine(1);
    for (std::uint64_t i = 0; i < 36; ++i) {
        attune::point const p = space.at(i);
        std::size_t expected = 0;
        for (std::uint64_t j = 0; j < 36; ++j)
            if (differing(p, space.at(j)) == 1) ++expected;
        std::vector<attune::point> const found = near.hamming(p, 100, engine);
        CHECK(found.size() == expected);
        for (attune::point const& q : found) {
            CHECK(space.contains(q));
            CHECK(differing(p, q) == 1);
        }
    }
}

TEST_CASE("a line has the other valid values of its parameter, of long tables a choice")
{
    attune::chain_of_trees const space = search_spaces::grid(500);
    moves const near(space);
    attune::random_engine engine(1);
    attune::point const p = space.at(std::uint64_t{77});
    CHECK(near.line(p, 0, 500, engine).size() == 499);
    std::vector<attune::point> const some = near.line(p, 1, 10, engine);
    CHECK(some.size() <= 10);
    CHECK(some.size() > 5);
    for (attune::point const& q : some)
        CHECK(q[0] == p[0]);
}

TEST_CASE("where no single change is valid the nearest configurations are adjacent")
{
    attune::chain_of_trees const space = diagonal();
    moves const near(space);
    attune::random_engine engine(1);
    attune::point const p = space.at(std::uint64_t{2});
    CHECK(near.hamming(p, 100, engine).empty());
    CHECK_FALSE(near.random_hamming(p, engine));
    std::vector<attune::point> const found = near.adjacent(p);
    REQUIRE(found.size() == 5);
    CHECK(found[0][0].index % 2 == 1); // 1 or 3, the values beside 2
    CHECK(near.random_adjacent(p, engine));
}

TEST_CASE("moves in every kind of space stay valid")
{
    attune::chain_of_trees const space = searcher_trials::every_kind();
    moves const near(space);
    attune::random_engine engine(3);
    CHECK(near.varying().size() == 4);
    attune::point p = space.sample(engine);
    for (int i = 0; i < 300; ++i) {
        attune::point const before = p;
        p = near.scrambled(p, 2, engine);
        CHECK(space.contains(p));
        auto const hamming = near.random_hamming(p, engine);
        REQUIRE(hamming);
        CHECK(space.contains(*hamming));
        CHECK(differing(p, *hamming) == 1);
        attune::point mixed = p;
        mixed[2] = before[2];
        mixed[0] = before[0];
        CHECK(space.contains(near.repaired(mixed, engine)));
    }
}

TEST_CASE("what is valid needs no repair, and what is not changes as little as can be")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    moves const near(space);
    attune::random_engine engine(1);
    attune::point const valid = space.at(std::uint64_t{7});
    CHECK(near.repaired(valid, engine) == valid);
    attune::point const broken{{2, 0}, {4, 0}, {1, 0}};
    CHECK(differing(near.repaired(broken, engine), broken) == 1);
}

TEST_CASE("a parameter with one value is none to move")
{
    moves const near(search_spaces::single());
    attune::random_engine engine(1);
    CHECK(near.varying().empty());
    CHECK_FALSE(near.random_hamming(near.space().at(std::uint64_t{0}), engine));
}
