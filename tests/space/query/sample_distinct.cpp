// tests/space/query/sample_distinct.cpp : mirrors include/attune/space/query/sample_distinct.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/sample_distinct.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "../../laws/tree.hpp"
#include "../space_generator.hpp"

using attune::chain_of_trees;
using attune::op;
using attune::point;
using attune::sample_distinct;
using attune_tests::point_set;
using attune_tests::space_writer;

namespace {

/// A tree whose first level leads to 5, 1 and 1 leaves: drawing children evenly would fail here.
chain_of_trees skewed()
{
    space_writer w;
    auto const a = w.range("a", 0, 4);
    auto const b = w.range("b", 0, 4);
    auto const zero = w.join(op::equal, w.read(a), w.literal(std::int64_t{0}));
    auto const same = w.join(op::equal, w.read(b), w.literal(std::int64_t{4}));
    // a = 0: any b; else only b = 4, and a = 1 .. 2 at most: 5 + 2 leaves
    auto const few = w.join(op::less, w.read(a), w.literal(std::int64_t{3}));
    w.require(w.join(op::logical_or, zero, w.join(op::logical_and, same, few)), "skewed");
    return chain_of_trees(w.out);
}

} // namespace

TEST_CASE("samples without replacement are distinct and valid, for every count up to the size")
{
    attune_tests::space_generator generator(5);
    attune::random_engine engine(3);
    int tried = 0;
    while (tried < 300) {
        attune::description const space = generator.draw();
        auto const valid = attune_tests::valid_settings(space);
        if (valid.empty()) continue;
        CAPTURE(tried);
        ++tried;
        chain_of_trees const chain(space);
        for (std::size_t const count :
             {std::size_t{0}, valid.size() / 3, valid.size() - 1, valid.size(), valid.size() + 5}) {
            auto const drawn = sample_distinct(chain, count, engine);
            point_set const different(drawn.begin(), drawn.end());
            CHECK(different.size() == std::min(count, valid.size()));
            CHECK(drawn.size() == different.size());
            std::size_t outside = 0;
            for (point const& p : drawn)
                outside += chain.contains(p) ? 0U : 1U;
            CHECK(outside == 0);
        }
    }
}

TEST_CASE("every sequence of different configurations is equally likely")
{
    chain_of_trees const chain = skewed();
    REQUIRE(chain.size() == attune::leaf_count{7});
    attune::random_engine engine(2025);
    // k = 1, 2, 3 and the whole set but one: 7, 42, 210 and 5040 sequences
    for (std::size_t const count : {1U, 2U, 3U, 6U}) {
        double sequences = 1;
        for (std::size_t i = 0; i < count; ++i)
            sequences *= static_cast<double>(7 - i);
        double const per_cell = 20;
        std::map<std::vector<std::uint64_t>, std::size_t> drawn;
        for (std::size_t i = 0; i < static_cast<std::size_t>(sequences * per_cell); ++i) {
            std::vector<std::uint64_t> key;
            for (point const& p : sample_distinct(chain, count, engine))
                key.push_back(static_cast<std::uint64_t>(chain.index_of(p)->leaf.front()));
            ++drawn[key];
        }
        double chi_square = (sequences - static_cast<double>(drawn.size())) * per_cell;
        for (auto const& [key, n] : drawn) {
            double const off = static_cast<double>(n) - per_cell;
            chi_square += off * off / per_cell;
        }
        double const freedom = sequences - 1;
        CAPTURE(count);
        CHECK(chi_square <= freedom + 4 * std::sqrt(2 * freedom));
        CHECK(chi_square >= freedom - 4 * std::sqrt(2 * freedom));
    }
}

TEST_CASE("numbers past 64 bits are drawn over their whole range")
{
    space_writer w;
    for (int i = 0; i < 30; ++i)
        w.range("p" + std::to_string(i), 1, 10);
    chain_of_trees const chain(w.out); // 10^30, about 2^99.7
    attune::random_engine engine(8);
    auto const drawn = sample_distinct(chain, 2000, engine);
    REQUIRE(drawn.size() == 2000);
    for (std::size_t p = 0; p < 30; ++p) {
        double chi_square = 0;
        std::vector<double> seen(10, 0);
        for (point const& q : drawn)
            ++seen[q[p].index];
        for (double const n : seen)
            chi_square += (n - 200) * (n - 200) / 200;
        CHECK(chi_square <= 9 + 6 * std::sqrt(18.0));
    }
}

TEST_CASE("spaces that cannot be numbered give distinct samples too")
{
    space_writer w;
    for (int i = 0; i < 50; ++i)
        w.range("p" + std::to_string(i), 1, 10);
    attune::random_engine engine(8);
    auto drawn = sample_distinct(chain_of_trees(w.out), 100, engine);
    CHECK(point_set(drawn.begin(), drawn.end()).size() == 100);

    space_writer r;
    auto const x = r.real("x", 0, 1);
    r.boolean("b");
    r.require(r.join(op::less, r.read(x), r.literal(0.25)), "x < 0.25");
    chain_of_trees const real(r.out);
    drawn = sample_distinct(real, 100, engine);
    CHECK(point_set(drawn.begin(), drawn.end()).size() == 100);
    for (point const& p : drawn)
        CHECK(real.contains(p));
}

TEST_CASE("an interval of one value does not keep the sampler busy for ever")
{
    space_writer w;
    w.real("x", 2, 2);
    w.boolean("b");
    attune::random_engine engine(8);
    CHECK(sample_distinct(chain_of_trees(w.out), 5, engine).size() == 2);
}
