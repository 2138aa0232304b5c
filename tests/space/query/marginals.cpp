// tests/space/query/marginals.cpp - numbers of valid configurations by parameter and value.
// SPDX-License-Identifier: MIT
#include <attune/space/query/configurations.hpp>
#include <attune/space/tree/tree.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../laws/tree.hpp"
#include "../space_oracle.hpp"

using attune::chain_of_trees;
using attune::leaf_count;
using attune::marginals;
using attune::op;
using attune::point;
using attune_tests::space_writer;

TEST_CASE("marginals are what counting by brute force gives")
{
    attune_tests::for_valid_spaces(77, 400, [](auto const& space, auto const& valid) {
        chain_of_trees const chain(space);
        marginals const counts(chain);
        std::size_t wrong = 0;
        for (std::uint32_t p = 0; p < space.parameters.size(); ++p) {
            std::vector<std::uint64_t> expected(space.parameters[p].value_count(), 0);
            for (point const& v : valid)
                ++expected[v[p].index];
            leaf_count in_tree = 0;
            REQUIRE(counts.leaves(p).size() == expected.size());
            for (std::uint32_t v = 0; v < expected.size(); ++v) {
                wrong += counts.configurations(p, v) != leaf_count{expected[v]} ? 1U : 0U;
                in_tree += counts.leaves(p)[v];
                CHECK(counts.share(p, v) == doctest::Approx(static_cast<double>(expected[v]) /
                                                            static_cast<double>(valid.size())));
            }
            CHECK(in_tree == chain.tree_at(counts.tree_of(p)).leaves());
        }
        CHECK(wrong == 0);
    });
}

TEST_CASE("a count past 128 bits is told apart from any number, a value never valid is not")
{
    space_writer w;
    for (int i = 0; i < 50; ++i)
        w.range("p" + std::to_string(i), 1, 10);
    auto const a = w.range("a", 1, 3);
    w.require(w.join(op::less, w.read(a), w.literal(std::int64_t{3})), "a < 3");
    chain_of_trees const chain(w.out);
    marginals const counts(chain);
    CHECK_FALSE(counts.configurations(0, 4));
    CHECK(counts.leaves(0)[4] == 1);
    CHECK(counts.share(0, 4) == doctest::Approx(0.1));
    CHECK(counts.configurations(a, 2) == leaf_count{0});
    CHECK(counts.share(a, 0) == doctest::Approx(0.5));
}

TEST_CASE("a real parameter has no counts")
{
    space_writer w;
    auto const x = w.real("x", 0, 1);
    auto const b = w.boolean("b");
    chain_of_trees const chain(w.out);
    marginals const counts(chain);
    CHECK(counts.leaves(x).empty());
    CHECK(counts.tree_of(x) == chain.tree_count());
    CHECK(counts.configurations(b, 1) == leaf_count{1});
}

TEST_CASE("counts over shared subtrees are exact where nothing could be enumerated")
{
    // a < b out of 2000 values: 1999 - i choices of b for the i-th a, i choices of a for the i-th
    // b.
    space_writer w;
    std::vector<std::uint32_t> p;
    for (char const* name : {"a", "b"})
        p.push_back(w.range(name, 1, 2000));
    w.require(w.join(op::less, w.read(p[0]), w.read(p[1])), "a < b");
    marginals const counts{chain_of_trees(w.out)};
    for (std::uint32_t v = 0; v < 2000; v += 97) {
        CHECK(counts.leaves(p[0])[v] == 1999 - v);
        CHECK(counts.leaves(p[1])[v] == v);
    }
}
