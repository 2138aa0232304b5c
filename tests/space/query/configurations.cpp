// tests/space/query/configurations.cpp : mirrors include/attune/space/query/configurations.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/configurations.hpp>

#include <doctest/doctest.h>
#include <iterator>
#include <vector>

#include "../../laws/tree.hpp"
#include "../space_generator.hpp"

using attune::chain_of_trees;
using attune::configurations;
using attune::op;
using attune::point;
using attune_tests::space_writer;

static_assert(std::input_iterator<attune::configuration_iterator>);
static_assert(std::sentinel_for<std::default_sentinel_t, attune::configuration_iterator>);

TEST_CASE("the range goes through every valid configuration in index order")
{
    attune_tests::space_generator generator(31);
    int tried = 0;
    while (tried < 400) {
        attune::description const space = generator.draw();
        auto const valid = attune_tests::valid_settings(space);
        if (valid.empty()) continue;
        CAPTURE(tried);
        ++tried;
        chain_of_trees const chain(space);
        std::uint64_t i = 0;
        std::size_t wrong = 0;
        for (point const& p : configurations(chain)) {
            REQUIRE(i < valid.size());
            wrong += p != chain.at(i) ? 1U : 0U;
            ++i;
        }
        CHECK(i == valid.size());
        CHECK(wrong == 0);

        std::uint64_t const from = valid.size() * 2 / 3;
        i = from;
        for (point const& p : configurations(chain, *chain.index_of(chain.at(from))))
            wrong += p != chain.at(i++) ? 1U : 0U;
        CHECK(i == valid.size());
        CHECK(wrong == 0);
    }
}

TEST_CASE("a copy of the iterator goes on from where it was made")
{
    space_writer w;
    w.range("a", 0, 2);
    w.range("b", 0, 4);
    auto i = configurations(chain_of_trees(w.out)).begin();
    for (int n = 0; n < 4; ++n)
        ++i;
    auto j = i;
    ++i;
    CHECK(*j == point{{0, 0}, {4, 0}});
    CHECK(*i == point{{1, 0}, {0, 0}});
    j++;
    CHECK(*j == *i);
    CHECK(j->size() == 2);
}

TEST_CASE("a space without parameters has one configuration to go through")
{
    int seen = 0;
    for (point const& p : configurations(chain_of_trees(attune::description{}))) {
        CHECK(p.empty());
        ++seen;
    }
    CHECK(seen == 1);
}

TEST_CASE("the first configurations of a space of 2^208 cost nothing more")
{
    space_writer w;
    for (int i = 0; i < 12; ++i) {
        auto const a = w.range("a" + std::to_string(i), 1, 100);
        auto const b = w.range("b" + std::to_string(i), 1, 100);
        auto const c = w.range("c" + std::to_string(i), 1, 100);
        w.require(w.join(op::less_equal, w.read(a), w.read(b)), "a <= b");
        w.require(w.join(op::less_equal, w.read(b), w.read(c)), "b <= c");
    }
    chain_of_trees const chain(w.out);
    std::uint64_t i = 0;
    for (point const& p : configurations(chain)) {
        CHECK(p == chain.at(i));
        if (++i == 500) break;
    }
}

TEST_CASE("real parameters stand at the middle of their scale")
{
    space_writer w;
    w.real("x", 0, 1);
    w.boolean("b");
    std::vector<point> seen;
    for (point const& p : configurations(chain_of_trees(w.out)))
        seen.push_back(p);
    CHECK(seen == std::vector<point>{{{0, 0.5}, {0, 0}}, {{0, 0.5}, {1, 0}}});
}
